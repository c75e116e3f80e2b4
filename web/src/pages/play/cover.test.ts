import { expect, test } from "vitest";
import { drawCover } from "./cover";

test("the same name always gets the same garden", () => {
  expect(drawCover("lantern-island")).toEqual(drawCover("lantern-island"));
});

test("other names get other gardens", () => {
  expect(drawCover("door_and_key")).not.toEqual(drawCover("lantern-island"));
});

test("any name has a garden, and everything in it lies in the box", () => {
  for (const name of ["", "庭", "a".repeat(500)]) {
    const { sun, stones } = drawCover(name);
    for (const { x, y } of [sun, ...stones]) {
      expect(x >= 0 && x <= 320 && y >= 0 && y <= 160).toBe(true);
    }
  }
});
