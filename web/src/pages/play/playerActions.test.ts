import { expect, test } from "vitest";
import { findChoice, findAction } from "./playerActions";

test("a key does its deed, whether or not it is a capital", () => {
  expect([findAction("h", false), findAction("H", false), findAction("PageUp", false), findAction("x", false)]).toEqual(["hide", "hide", "back", undefined]);
});

test("where text flows, keys of the stage do nothing", () => {
  expect(["h", "a", "k", "m", "l", "s", "o", "PageUp"].map((key) => findAction(key, true))).toEqual(
    [undefined, undefined, undefined, undefined, "log", "saves", "options", "back"],
  );
});

test("the digits take choices, counted from 0", () => {
  expect([findChoice("1"), findChoice("9"), findChoice("0"), findChoice("a")]).toEqual([0, 8, null, null]);
});
