import { expect, test } from "vitest";
import { findDuplicates } from "./duplicateTitles";

test("only a title that more than one has is told twice", () => {
  expect([...findDuplicates(["Gate", "Well", "Gate", "Gate"])]).toEqual(["Gate"]);
  expect([...findDuplicates(["Gate", "Well"])]).toEqual([]);
});
