import { afterEach, expect, test } from "vitest";
import { settings } from "../app/settings.svelte";
import { fillPhrase, makeTranslator } from "./translate";

afterEach(() => {
  settings.language = "en";
});

test("a phrase speaks the language chosen at the moment", () => {
  const t = makeTranslator({ en: { hello: "Hello, {name}." }, ja: { hello: "{name}さん、こんにちは。" } });
  expect(t("hello", { name: "Ben" })).toBe("Hello, Ben.");
  settings.language = "ja";
  expect(t("hello", { name: "Ben" })).toBe("Benさん、こんにちは。");
});

test("one is one and many are many", () => {
  expect(fillPhrase("{count} {count|turn|turns}", { count: 1 })).toBe("1 turn");
  expect(fillPhrase("{count} {count|turn|turns}", { count: 2 })).toBe("2 turns");
});

test("a value is put in as it is, even if it looks like a brace", () => {
  expect(fillPhrase("{a} {b}", { a: "{b}", b: "x" })).toBe("{b} x");
});
