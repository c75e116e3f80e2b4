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

test("nothing is styled inline, which the page's policy forbids", () => {
  expect(having(/\sstyle=["{]|setAttribute\("style"/)).toEqual([]);
});

test("colours come from the tokens, so that light and dark both have them", () => {
  const drawn = new Set(["../pages/play/Cover.svelte"]);
  const coloured = having(/:\s*#[0-9a-f]{6}\b|rgb\(/i).filter((name) => name.endsWith(".svelte") && !drawn.has(name));
  expect(coloured).toEqual([]);
});
