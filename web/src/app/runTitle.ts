/** What runs, and scenarios without a title, are called. */

import type { RunLine } from "../api/shapes";

/** An id in plain words, such as `Coffee trap`. */
export function formatId(id: string): string {
  const plain = id.replaceAll("_", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** What to call a run: by the title of what it plays, else by its id or file; empty for an unsaved text. */
export function getRunTitle({ title, story, scenario, file }: Pick<RunLine, "title" | "story" | "scenario" | "file">): string {
  return title || story || formatId(scenario) || file;
}
