import { expect, test } from "vitest";
import { formatTime } from "./dateTime";

const noon = new Date(2026, 10, 3, 12, 5).getTime();

test("today only the clock is told", () => {
  expect(formatTime(noon, "en", noon + 1000, "en-GB")).toBe("12:05");
});

test("another day is named, and another year with it", () => {
  expect(formatTime(noon, "en", new Date(2026, 10, 9).getTime(), "en-GB")).toBe("3 Nov 12:05");
  expect(formatTime(noon, "en", new Date(2027, 10, 9).getTime(), "en-GB")).toBe("3 Nov 2026 12:05");
});

test("the page's language counts where the browser's is another", () => {
  expect(formatTime(noon, "ja", new Date(2026, 10, 9).getTime(), "en-GB")).toBe("11月3日 12:05");
});
