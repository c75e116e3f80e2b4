import { expect, test } from "vitest";

const sources: Record<string, string> = import.meta.glob("../**/*.{svelte,ts}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const written = Object.entries(sources).filter(([name]) => !name.endsWith(".test.ts"));
const having = (pattern: RegExp): string[] => written.filter(([, text]) => pattern.test(text)).map(([name]) => name);

test("all of the page is looked at", () => {
  expect(written.length).toBeGreaterThan(60);
  expect(having(/Typewriter/)).toContain("../pages/play/StoryStage.svelte");
});

test("text is never markup", () => {
  expect(having(/\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function/)).toEqual([]);
});

test("nothing is styled inline, which the page's policy forbids", () => {
  expect(having(/\sstyle=["{]|setAttribute\("style"/)).toEqual([]);
});

test("the page names no other machine", () => {
  const namespaces = /http:\/\/www\.w3\.org\//g;
  const foreign = written.filter(([, text]) => /https?:\/\//.test(text.replace(namespaces, "")));
  expect(foreign.map(([name]) => name)).toEqual([]);
});

test("colours come from the tokens, so that light and dark both have them", () => {
  const drawn = new Set(["../pages/play/Cover.svelte"]);
  const coloured = having(/:\s*#[0-9a-f]{6}\b|rgb\(/i).filter((name) => name.endsWith(".svelte") && !drawn.has(name));
  expect(coloured).toEqual([]);
});
