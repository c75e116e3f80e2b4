import { expect, test } from "vitest";
import { differences } from "./differences";

const own = (mine: string, theirs: string) =>
  differences(mine, theirs).map((lines) => lines.filter((line) => line.own).map((line) => line.text));

test("only what one of the two has is its own", () => {
  expect(own("a\nb\nc\nd", "a\nx\nc\nd")).toEqual([["b"], ["x"]]);
  expect(own("a\nb", "a\nb\nc")).toEqual([[], ["c"]]);
  expect(own("", "a")).toEqual([[""], ["a"]]);
});

test("the same text has nothing of its own", () => {
  expect(own("a\nb\n", "a\nb\n")).toEqual([[], []]);
});
