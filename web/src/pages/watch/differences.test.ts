import { expect, test } from "vitest";
import { fillPhrase } from "../../words/translate";
import words from "../../words/watch";
import { describeDifference } from "./differences";
import type { Differs } from "./types";

const english = (key: keyof (typeof words)["en"], values = {}): string => fillPhrase(words.en[key], values);

function said(part: Partial<Differs>): string {
  return describeDifference({ id: "x", name: "the key", field: "", before: null, after: null, before_name: "", after_name: "", ...part }, english);
}

test.each([
  [{ field: "place", before_name: "Shed", after_name: "Mika" }, "the key is now with “Mika”; it was with “Shed”."],
  [{ field: "place", before_name: "Shed" }, "the key has left “Shed” and is off stage."],
  [{ field: "place", after_name: "Shed" }, "the key is now at “Shed”."],
  [{ field: "open", after: true }, "the key is open."],
  [{ field: "locked", after: false }, "the key is unlocked."],
  [{ field: "hidden", after: false }, "the key was found."],
  [{ field: "exists", after: false }, "the key is gone."],
  [{ field: "flag", before: null, after: true }, "“the key” is true; it was not set."],
  [{ field: "state", before: [], after: ["lit", "hot"] }, "the key: state is lit, hot; it was not set."],
  [{ field: "attributes", before: { a: 1 }, after: { a: 2 } }, 'the key: attributes is {"a":2}; it was {"a":1}.'],
])("a difference is one sentence: %#", (part, sentence) => {
  expect(said(part)).toBe(sentence);
});
