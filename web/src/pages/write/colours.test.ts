import { expect, test } from "vitest";
import type { Mark } from "./calls";
import { Colours, type Tongue } from "./colours";

const NOBODY: ReadonlySet<string> = new Set();

function sorts(text: string, tongue: Tongue, speakers = NOBODY): string[][] {
  return new Colours().rows(text, tongue, speakers, []).map((row) => row.pieces.map((each) => `${each.sort} ${each.text}`));
}

function mark(line: number, column: number, end: number, severity: Mark["severity"] = "error"): Mark {
  return { code: "X", severity, message: "", hint: "", file: "", line, column, end, path: "", rewrite: null };
}

test("no letter is lost, whatever the text is", () => {
  const odd = "---\na: [\n---\n# x {#y}\n- [a](#b) {if c}\n<!-- two\nlines --> rest\n[SET a = 1]{\n```\n{x}\n```\n:::when a\n“x”: y\n";
  for (const tongue of ["story", "yaml", "json", "plain"] as const) {
    const rows = new Colours().rows(odd, tongue, new Set(["“x”"]), [mark(4, 2, 4), mark(5, 0, 0), mark(99, 1, 2)]);
    expect(rows.map((row) => row.pieces.map((each) => each.text).join("")).join("\n")).toBe(odd);
  }
});

test("a story's front matter, headings, options and directions are told apart", () => {
  expect(sorts("---\ntitle: Rain\n---\n# Rain\n- Go [in](#a) {once}\n[SET a = 1]", "story")).toEqual([
    ["front ---"],
    ["key title", "plain : Rain"],
    ["front ---"],
    ["heading # Rain"],
    ["bullet -", "plain  Go ", "link [in](#a)", "plain  ", "brace {once}"],
    ["command [SET a = 1]"],
  ]);
});

test("only who is known to speak is shown as a speaker", () => {
  expect(sorts("Pim: Hello.\nNote: rain.", "story", new Set(["Pim"]))).toEqual([
    ["speaker Pim:", "plain  Hello."],
    ["plain Note: rain."],
  ]);
});

test("a comment reaches over lines", () => {
  expect(sorts("a <!-- b\nc\nd --> e", "story")).toEqual([
    ["plain a ", "comment <!-- b"],
    ["comment c"],
    ["comment d -->", "plain  e"],
  ]);
});

test("keys, texts and values of documents are told apart", () => {
  expect(sorts("a: 'x' # note", "yaml")).toEqual([["key a", "plain : ", "text 'x'", "plain  ", "comment # note"]]);
  expect(sorts('"a": true', "json")).toEqual([['key "a":', "plain  ", "value true"]]);
});

test("an apostrophe after a letter begins no text", () => {
  expect(sorts("a: reader's card # is 'x'", "yaml")).toEqual([["key a", "plain : reader's card ", "comment # is 'x'"]]);
  expect(sorts("père's été's: ['x', \"y\"]", "yaml")).toEqual([["key père's été's", "plain : [", "text 'x'", "plain , ", 'text "y"', "plain ]"]]);
});

test("a text of several lines in a document is a text", () => {
  expect(sorts("a: >-\n  b: c\n\n  d\ne: 1", "yaml")).toEqual([
    ["key a", "plain : >-"],
    ["text   b: c"],
    ["text "],
    ["text   d"],
    ["key e", "plain : ", "value 1"],
  ]);
});

test("a finding marks its letters, the worst one where two meet", () => {
  const [row] = new Colours().rows("abcdef", "plain", NOBODY, [mark(1, 2, 5, "warning"), mark(1, 3, 4)]);
  expect(row?.pieces.map((each) => `${each.text} ${each.mark}`)).toEqual(["a ", "b warning", "c error", "d warning", "ef "]);
  expect(row?.worst).toBe("error");
});

test("a finding in another file marks nothing here", () => {
  const [row] = new Colours().rows("abc", "plain", NOBODY, [{ ...mark(1, 1, 2), file: "more.md" }]);
  expect(row?.worst).toBe("");
});
