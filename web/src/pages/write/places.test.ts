import { expect, test } from "vitest";
import { findLine, getLine, findStart, findSpan, isWithin } from "./places";

const TEXT = "one\ntwo 𠮷 three\n\nlast";

test("a line begins behind the end of the one before it", () => {
  expect([1, 2, 3, 4, 9].map((line) => findStart(TEXT, line))).toEqual([0, 4, 17, 18, TEXT.length]);
});

test("an offset is on the line that it is read on", () => {
  expect([0, 3, 4, 16, 17, 18, 99].map((offset) => findLine(TEXT, offset))).toEqual([1, 1, 2, 2, 3, 4, 4]);
});

test("columns count letters, also those the browser counts twice", () => {
  expect(isWithin("a𠮷b", 3)).toBe(3);
  expect(isWithin("ab", 9)).toBe(2);
  expect(getLine(TEXT, 2)).toBe("two 𠮷 three");
});

test("a stretch stays on its line", () => {
  expect(TEXT.slice(...findSpan(TEXT, 2, 7, 12))).toBe("three");
  expect(TEXT.slice(...findSpan(TEXT, 2, 1, 0))).toBe("two 𠮷 three");
  expect(TEXT.slice(...findSpan(TEXT, 3, 4, 2))).toBe("");
});
