import { expect, test } from "vitest";
import { formatEvent, formatName, shortenHash, formatSize } from "./names";

test("names lose what machines need", () => {
  expect(formatName("submit_run_meta")).toBe("submit run meta");
  expect(shortenHash("run-019471a2-7c8d-7000-8000-00000012abcd")).toBe("12abcd");
});

test("a way is told by its event, without guard and roles", () => {
  expect(["approve [has_decision] (reviewer)", "reject (a, b)", "after 30d", "go"].map(formatEvent)).toEqual([
    "approve",
    "reject",
    "after 30d",
    "go",
  ]);
});

test("bytes are told in the unit that fits", () => {
  expect([29, 3400, 2_500_000].map(formatSize)).toEqual(["29 B", "3.4 kB", "2.5 MB"]);
});
