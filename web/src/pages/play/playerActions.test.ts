import { expect, test } from "vitest";
import { choiceOf, deedOf } from "./playerActions";

test("a key does its deed, whether or not it is a capital", () => {
  expect([deedOf("h", false), deedOf("H", false), deedOf("PageUp", false), deedOf("x", false)]).toEqual(["hide", "hide", "back", undefined]);
});

test("where text flows, keys of the stage do nothing", () => {
  expect(["h", "a", "k", "m", "l", "s", "o", "PageUp"].map((key) => deedOf(key, true))).toEqual(
    [undefined, undefined, undefined, undefined, "log", "saves", "options", "back"],
  );
});

test("the digits take choices, counted from 0", () => {
  expect([choiceOf("1"), choiceOf("9"), choiceOf("0"), choiceOf("a")]).toEqual([0, 8, null, null]);
});
