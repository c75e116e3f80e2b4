import { expect, test } from "vitest";
import { Problem } from "../api/saniwa";
import problems from "../words/problems";
import { isSelfExplaining, chooseSentence } from "./problemMessage";

test("a code has a sentence of its own, or its family's, or none", () => {
  expect(["RUN_NOT_FOUND", "RULE", null, null]).toEqual(
    ["RUN_NOT_FOUND", "RULE_BAD_FIELD", "WEATHER_BAD", "constructor"].map(chooseSentence),
  );
});

test("what was asked amiss is told in full, what is not there in a sentence", () => {
  expect([false, true]).toEqual([422, 404].map((status) => isSelfExplaining(new Problem(status, {}))));
});

test("every sentence in Japanese is Japanese, and ends", () => {
  const plain = Object.values(problems.ja).filter((each) => !/[\u3040-\u30ff].*。$/.test(each));
  expect([]).toEqual(plain);
});
