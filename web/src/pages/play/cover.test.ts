import { expect, test } from "vitest";
import { coverOf } from "./cover";

test("the same name always gets the same garden", () => {
  expect(coverOf("lantern-island")).toEqual(coverOf("lantern-island"));
});

test("other names get other gardens", () => {
  expect(coverOf("door_and_key")).not.toEqual(coverOf("lantern-island"));
});

test("any name has a garden, and everything in it lies in the box", () => {
  for (const name of ["", "庭", "a".repeat(500)]) {
    const { sun, stones } = coverOf(name);
    for (const { x, y } of [sun, ...stones]) {
      expect(x >= 0 && x <= 320 && y >= 0 && y <= 160).toBe(true);
    }
  }
});
