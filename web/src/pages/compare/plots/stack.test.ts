import { describe, expect, it } from "vitest";
import { listCodes, stackBars, nameStep } from "./stack";

const CODES = ["MISSING_OBJECT", "WRONG_LOCATION", "NOT_OWNED"];

describe("piled", () => {
  it("puts each code on top of the one before, as shares of turns", () => {
    const pile = stackBars({ NOT_OWNED: 1, MISSING_OBJECT: 3 }, CODES, 4);
    expect({
      slices: [
        { code: "MISSING_OBJECT", count: 3, from: 0, to: 0.75 },
        { code: "NOT_OWNED", count: 1, from: 0.75, to: 1 },
      ],
      height: 1,
      count: 4,
    }).toEqual(pile);
  });

  it("is flat where nothing was refused, or no turn was played", () => {
    expect(0).toBe(stackBars({}, CODES, 4).height);
    expect([]).toEqual(stackBars({ NOT_OWNED: 1 }, CODES, 0).slices);
  });
});

describe("met", () => {
  it("leaves out codes that never came, and keeps the places of the others", () => {
    expect([{ code: "NOT_OWNED", place: 2 }]).toEqual(listCodes([{ NOT_OWNED: 1 }, { WRONG_LOCATION: 0 }], CODES));
  });
});

describe("stepName", () => {
  it("counts from 1, and names both ends where turns share a step", () => {
    expect(["1", "1–2"]).toEqual([nameStep(0, 0), nameStep(0, 1)]);
  });
});
