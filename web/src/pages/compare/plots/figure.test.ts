import { describe, expect, it } from "vitest";
import { formatChange, formatFigure, formatMark, formatProbability, formatInterval } from "./figure";

describe("figure", () => {
  it.each([
    [0.2875, "rate", "28.7 %"],
    [0.7125, "count", "0.71"],
    [0.075, "count", "0.07"],
    [0.125, "count", "0.12"],
    [0.375, "count", "0.38"],
    [2.5, "ms", "2 ms"],
    [3.5, "ms", "4 ms"],
    [1234567, "tokens", "1,234,567.0"],
    [0.2214, "score", "0.221"],
    [1320.4, "ms", "1,320 ms"],
    [0.000012, "usd", "$0.000012"],
    [-0.0001, "count", "0.00"],
    [-1.5, "count", "−1.50"],
    [null, "rate", "–"],
    [undefined, "ms", "–"],
  ] as const)("writes %s as a %s: %s", (value, unit, told) => {
    expect(formatFigure(value, unit)).toBe(told);
  });
});

describe("change", () => {
  it("has a sign, and points where shares are compared", () => {
    expect("+12.5 pp").toBe(formatChange(0.125, "rate"));
    expect("−12.5 ポイント").toBe(formatChange(-0.125, "rate", "ja"));
    expect("−0.64").toBe(formatChange(-0.6375, "count"));
  });

  it("has none where nothing is left of it", () => {
    expect("0.00").toBe(formatChange(0.0001, "count"));
  });
});

describe("span", () => {
  it("tells both ends in either language, or nothing", () => {
    const told = (value: number): string => formatFigure(value, "count");
    expect("0.10 to 0.30").toBe(formatInterval(0.1, 0.3, told));
    expect("0.10〜0.30").toBe(formatInterval(0.1, 0.3, told, "ja"));
    expect("").toBe(formatInterval(null, 0.3, told));
  });
});

describe("probability", () => {
  it("is never 0", () => {
    expect(["p < 0.001", "p = 0.012", "–"]).toEqual([1e-9, 0.0123, null].map(formatProbability));
  });
});

describe("mark", () => {
  it("has no more digits than it needs", () => {
    expect(["25 %", "2.5 %", "0.2", "1,000", "−0.4"]).toEqual([
      formatMark(0.25, "rate"),
      formatMark(0.025, "rate"),
      formatMark(0.2, "count"),
      formatMark(1000, "ms"),
      formatMark(-0.4, "count"),
    ]);
  });
});
