import { expect, test } from "vitest";
import { makeFileName } from "./names";

test("a title becomes a plain name", () => {
  expect(makeFileName("story", "The Old Café: #1")).toBe("the-old-cafe-1");
  expect(makeFileName("scenario", "my door_and_key")).toBe("my_door_and_key");
  expect(makeFileName("story", "夜の 庭が")).toBe("夜の-庭が");
  expect(makeFileName("scenario", "庭")).toBe("");
});
