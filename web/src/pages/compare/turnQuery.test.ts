import { describe, expect, it } from "vitest";
import { queryOf, soughtIn } from "./turnQuery";
import type { Sought } from "./types";

function asked(sought: Sought | null): URLSearchParams {
  return new URLSearchParams(Object.entries(queryOf(sought)).map(([name, value]) => [name, String(value)]));
}

describe("turns in an address", () => {
  it.each<Sought>([
    {},
    { metric: "give_up_rate", condition: "D+faults=careless", counted: "no" },
    { deny: "MISSING_OBJECT", at: "first", turn: 0, until: 2 },
  ])("come out as they went in: %o", (sought) => {
    expect(soughtIn(asked(sought))).toEqual(sought);
  });

  it("are none where nothing asks for them", () => {
    expect(soughtIn(asked(null))).toBeNull();
    expect(soughtIn(new URLSearchParams({ condition: "A", tab: "runsTab" }))).toBeNull();
  });

  it("have no number that is none", () => {
    expect(soughtIn(new URLSearchParams({ turns: "", turn: "-1", until: "two" }))).toEqual({});
  });
});
