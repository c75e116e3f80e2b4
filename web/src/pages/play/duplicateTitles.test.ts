import { expect, test } from "vitest";
import { alike } from "./duplicateTitles";

test("only a title that more than one has is told twice", () => {
  expect([...alike(["Gate", "Well", "Gate", "Gate"])]).toEqual(["Gate"]);
  expect([...alike(["Gate", "Well"])]).toEqual([]);
});
