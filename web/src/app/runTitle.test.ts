import { describe, expect, it } from "vitest";
import { getRunTitle } from "./runTitle";

describe("a run's title", () => {
  const run = { title: "", story: "", scenario: "", file: "" };

  it("is that of what it plays", () => {
    expect(getRunTitle({ ...run, title: "The Long Rain", file: "tale.md" })).toBe("The Long Rain");
  });

  it("is an id or a file only where there is none", () => {
    expect(getRunTitle({ ...run, scenario: "coffee_trap" })).toBe("Coffee trap");
    expect(getRunTitle({ ...run, story: "rain", scenario: "island" })).toBe("rain");
    expect(getRunTitle({ ...run, file: "tale.md" })).toBe("tale.md");
    expect(getRunTitle(run)).toBe("");
  });
});
