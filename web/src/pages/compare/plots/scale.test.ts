import { describe, expect, it } from "vitest";
import { makeAxis, makeLinearScale, roundStep } from "./scale";

describe("linear", () => {
  it("puts the ends at the ends, and what is between in proportion", () => {
    const scale = makeLinearScale(0, 4, 10, 50);
    expect([10, 20, 50]).toEqual([scale(0), scale(1), scale(4)]);
  });

  it("holds what is outside at the edge", () => {
    expect([10, 50]).toEqual([-3, 9].map(makeLinearScale(0, 4, 10, 50)));
  });

  it("knows one place where there is no span", () => {
    expect(10).toBe(makeLinearScale(2, 2, 10, 50)(7));
  });
});

describe("roundStep", () => {
  it.each([
    [1, 4, 0.25],
    [0.71, 4, 0.2],
    [3000, 4, 1000],
    [0.0007, 4, 0.0002],
    [0, 4, 1],
    [NaN, 4, 1],
  ])("steps over %f in at most %i by %f", (span, most, step) => {
    expect(roundStep(span, most)).toBeCloseTo(step, 12);
  });
});

describe("axisFor", () => {
  it("ends at a round number beyond the farthest", () => {
    expect({ to: 0.8, marks: [0, 0.2, 0.4, 0.6, 0.8] }).toEqual(makeAxis([0.1, 0.71]));
  });

  it("ends shares at 1", () => {
    expect(1).toBe(makeAxis([0.97, 1], { share: true }).to);
  });

  it("is there for nothing but zeros, and for nothing at all", () => {
    expect(1).toBe(makeAxis([0, 0]).to);
    expect(1).toBe(makeAxis([]).to);
  });

  it("leaves out what is no number", () => {
    expect(2).toBe(makeAxis([NaN, Infinity, 2]).to);
  });
});
