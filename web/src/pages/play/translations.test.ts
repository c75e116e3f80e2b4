import { expect, test } from "vitest";
import type { ScenarioLine } from "./calls";
import { getLanguageName, groupTranslations } from "./translations";

const world = (id: string, language: string, name = id): ScenarioLine => ({
  id, name, language, description: "", places: 0, characters: [], shipped: true, fault: "",
});
const ids = (worlds: readonly ScenarioLine[], language: string): string[][] =>
  groupTranslations(worlds, language).map((family) => family.map((each) => each.id));

test("a world and its twin are one, the page's language first", () => {
  const gate = [world("gate", "en", "The Gate"), world("gate_ja", "ja", "門")];
  expect(ids(gate, "en")).toEqual([["gate", "gate_ja"]]);
  expect(ids(gate, "ja")).toEqual([["gate_ja", "gate"]]);
  expect(ids([world("well", "ja"), world("well_en", "en")], "en")).toEqual([["well_en", "well"]]);
});

test("names that only look alike are no twins", () => {
  expect(ids([world("gate", "en"), world("gate_en", "en"), world("gate_old", "en")], "en")).toEqual([["gate"], ["gate_en"], ["gate_old"]]);
});

test("the page's language comes before others, and titles before bare names", () => {
  const worlds = [world("trap", "ja"), world("plain", "en"), world("well", "ja", "井戸"), world("gate", "en", "The Gate")];
  expect(ids(worlds, "en")).toEqual([["gate"], ["plain"], ["well"], ["trap"]]);
});

test("a language is named in the page's language, and what is not a language code as written", () => {
  expect(getLanguageName("ja", "en")).toBe("Japanese");
  expect(getLanguageName("en", "ja")).toBe("英語");
  expect(getLanguageName("old elvish", "en")).toBe("old elvish");
});
