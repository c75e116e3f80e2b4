/** What runs are called: by the titles of what they play, once these are known. */

import { api } from "../../api/client";
import type { RunLine, Schemas } from "../../api/shapes";
import { settings } from "../../app/settings.svelte";

type Known = { stories: Record<string, Schemas["StorySummary"]>; scenarios: Record<string, string> };

const known: Known = $state({ stories: {}, scenarios: {} });
let asked = false;

/** Ask for the titles, once. Without them a run goes by an id, which is no trouble. */
export function loadTitles(): void {
  if (asked) return;
  asked = true;
  api.listStories({}).then(
    ({ items }) => items.forEach((story) => (known.stories[story.id] = story)),
    () => (asked = false),
  );
  api.listScenarios({}).then(
    ({ items }) => items.forEach(({ id, name }) => (known.scenarios[id] = name)),
    () => (asked = false),
  );
}

/** What to call a run; ids in plain letters. */
export function getRunTitle(line: Pick<RunLine, "story" | "scenario" | "language">): string {
  const story = known.stories[line.story];
  if (story) return story.titles[line.language || settings.language] ?? story.title;
  const named = known.scenarios[line.scenario];
  return line.story || (named && named !== line.scenario ? named : plain(line.scenario));
}

function plain(id: string): string {
  const words = id.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
