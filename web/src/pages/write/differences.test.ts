import { expect, test } from "vitest";
import { clipAround, listDifferences } from "./differences";

const own = (mine: string, theirs: string) =>
  listDifferences(mine, theirs).map((lines) => lines.filter((line) => line.own).map((line) => line.text));

test("only what one of the two has is its own", () => {
  expect(own("a\nb\nc\nd", "a\nx\nc\nd")).toEqual([["b"], ["x"]]);
  expect(own("a\nb", "a\nb\nc")).toEqual([[], ["c"]]);
  expect(own("", "a")).toEqual([[""], ["a"]]);
});

test("of long texts only what differs is shown, with a few lines around it", () => {
  const long = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const [mine] = listDifferences(long.with(20, "mine").join("\n"), long.join("\n"));
  const { before, shown, after } = clipAround(mine);
  expect([before, shown.map((line) => line.text).slice(2, 5), after]).toEqual([17, ["line 19", "mine", "line 21"], 16]);
  expect(clipAround([{ text: "a", own: false }])).toEqual({ before: 0, shown: [{ text: "a", own: false }], after: 0 });
});

test("the same text has nothing of its own", () => {
  expect(own("a\nb\n", "a\nb\n")).toEqual([[], []]);
});
