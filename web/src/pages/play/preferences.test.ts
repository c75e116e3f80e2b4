import { expect, test } from "vitest";
import { readPreferences, type Preferences } from "./preferences.svelte";

const usual: Preferences = { speed: 45, pace: 1, size: 100, music: 50, sounds: 70, muted: false, preview: false };

test("what was kept is taken up again", () => {
  expect(readPreferences('{"speed": 0, "muted": true}', usual)).toEqual({ ...usual, speed: 0, muted: true });
});

test("what does not fit is as usual", () => {
  for (const text of [null, "", "{", "3", "null", '{"speed": "fast", "other": 1}'])
    expect(readPreferences(text, usual)).toEqual(usual);
});
