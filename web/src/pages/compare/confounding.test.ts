import { describe, expect, it } from "vitest";
import { CONFOUNDED } from "../../words/notes";
import { findConfoundedPairs } from "./confounding";
import type { Measures } from "./types";

const A = { name: "A", inject: false, gm: false };
const B = { name: "B", inject: true, gm: false };
const D = { name: "D" };

function measures(conditions: object[], note: string): Measures {
  return {
    conditions: conditions.map((condition) => ({ condition, estimates: { m: { mean: 1 } } })),
    effects: ["inject", "gm"].map((factor) => ({ sense: "unknown", effect: { metric: "m", factors: [factor], note } })),
  } as unknown as Measures;
}

describe("apartIn", () => {
  it("names two conditions that differ in two things at once", () => {
    const [found] = findConfoundedPairs(measures([A, D], CONFOUNDED), "m");
    expect(["A", "D", ["inject", "gm"]]).toEqual([found?.first.condition.name, found?.second.condition.name, found?.factors]);
  });

  it("names none where each thing changes alone too", () => {
    expect([]).toEqual(findConfoundedPairs(measures([A, B, D], ""), "m"));
  });

  it("leaves out pairs that differ in one thing, and numbers nobody has", () => {
    expect([]).toEqual(findConfoundedPairs(measures([A, B], CONFOUNDED), "m"));
    expect([]).toEqual(findConfoundedPairs(measures([A, D], CONFOUNDED), "other"));
  });
});
