/** Every visible word, in both languages: one file a page, one typed key a phrase. */

import { settings } from "../app/settings.svelte";

/** The languages the page speaks. */
export type Language = "en" | "ja";

/** What stands in a phrase's braces. */
export type Values = Record<string, string | number>;

const HOLE = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;

/**
 * Fill the braces of a phrase: `{name}` by its value; `{count|turn|turns}` by the first
 * word where the value is 1, else by the second. A brace nobody gave a value for stays.
 */
export function fillPhrase(phrase: string, values: Values): string {
  return phrase.replace(HOLE, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one === undefined || many === undefined) return String(value);
    return value === 1 ? one : many;
  });
}

/**
 * A page's voice: `const t = speak({ en: {...}, ja: {...} })`, then `t("begin")`.
 * A key that one language lacks is a type error. Reading it in markup follows the
 * chosen language.
 */
export function makeTranslator<K extends string>(words: {
  en: Record<K, string>;
  ja: Record<NoInfer<K>, string>;
}): (key: K, values?: Values) => string {
  return (key, values = {}) => fillPhrase(words[settings.language][key], values);
}
