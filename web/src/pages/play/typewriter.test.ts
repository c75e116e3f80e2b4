import { expect, test } from "vitest";
import { splitLetters, countReached, estimateReadingTime, scheduleLetters } from "./typewriter";

test("a letter is never shown by half", () => {
  expect(splitLetters("か\u3099👩‍🚀e\u0301")).toEqual(["か\u3099", "👩‍🚀", "e\u0301"]);
});

test("letters come one after the other, and after a stop there is a rest", () => {
  const times = scheduleLetters(splitLetters("a.b"), 10);
  expect(times).toEqual([0, 100, 800]);
  expect([0, 99, 100, 799, 800].map((at) => countReached(times, at))).toEqual([1, 1, 2, 2, 3]);
});

test("an empty text is there at once", () => {
  expect(countReached(scheduleLetters([], 10), 0)).toBe(0);
});

test("a longer text is left standing longer, and a faster pace shortens both", () => {
  expect(estimateReadingTime("a".repeat(50), 1)).toBeGreaterThan(estimateReadingTime("a", 1));
  expect(estimateReadingTime("a", 2)).toBe(estimateReadingTime("a", 1) / 2);
});
