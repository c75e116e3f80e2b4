import { expect, test } from "vitest";
import { nameFor } from "./names";

test("a title becomes a plain name", () => {
  expect(nameFor("story", "The Old Café: #1")).toBe("the-old-cafe-1");
  expect(nameFor("scenario", "my door_and_key")).toBe("my_door_and_key");
  expect(nameFor("story", "夜の 庭が")).toBe("夜の-庭が");
  expect(nameFor("scenario", "庭")).toBe("");
});
