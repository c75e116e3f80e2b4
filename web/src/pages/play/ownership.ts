/** Whose run it is: who began it plays it, and others watch. */

import type { RunLine } from "../../api/shapes";
import type { About } from "../../app/visitor.svelte";

/**
 * Whether a visitor may play a run that `owner` began; the server decides by the same rule.
 *
 * Whoever sits at the server's machine plays all of them, and what nobody signed in to begin is for people.
 */
export function mayPlay(visitor: About["visitor"], owner: string): boolean {
  if (!visitor.signed_in) return visitor.may.includes("play");
  return owner ? owner === visitor.name : visitor.may.includes("change");
}

/**
 * Whether the page can go on with a run as what it is.
 *
 * A story is gone on with wherever it was begun, unless its file is not known here: then only its world could be played.
 * A draft is tried where it is written, and nowhere else.
 */
export function isResumable({ hosted, kind, draft }: Pick<RunLine, "hosted" | "kind" | "draft">): boolean {
  return !draft && (hosted || kind === "scenario");
}
