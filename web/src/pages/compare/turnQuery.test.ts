import { describe, expect, it } from "vitest";
import { writeTurnQuery, readTurnQuery } from "./turnQuery";
import type { Sought } from "./types";

function asked(sought: Sought | null): URLSearchParams {
  return new URLSearchParams(Object.entries(writeTurnQuery(sought)).map(([name, value]) => [name, String(value)]));
}

describe("turns in an address", () => {
  it.each<Sought>([
    {},
    { metric: "give_up_rate", condition: "D+faults=careless", counted: "no" },
    { deny: "MISSING_OBJECT", at: "first", turn: 0, until: 2 },
  ])("come out as they went in: %o", (sought) => {
    expect(readTurnQuery(asked(sought))).toEqual(sought);
  });

  it("are none where nothing asks for them", () => {
    expect(readTurnQuery(asked(null))).toBeNull();
    expect(readTurnQuery(new URLSearchParams({ condition: "A", tab: "runsTab" }))).toBeNull();
  });

  it("have no number that is none", () => {
    expect(readTurnQuery(new URLSearchParams({ turns: "", turn: "-1", until: "two" }))).toEqual({});
  });
});
