/** The turns somebody wants to see, in the address and out of it. */

import type { Sought } from "./types";

const TEXTS = ["metric", "counted", "condition", "scenario", "deny", "at"] as const;
const NUMBERS = ["turn", "until"] as const;

/** What an address asks for; null where it asks for no turns. */
export function readTurnQuery(query: URLSearchParams): Sought | null {
  if (query.get("turns") === null) return null;
  const found: Record<string, string | number> = {};
  for (const name of TEXTS) {
    const value = query.get(name);
    if (value) found[name] = value;
  }
  for (const name of NUMBERS) {
    const value = Number(query.get(name) ?? NaN);
    if (Number.isInteger(value) && value >= 0) found[name] = value;
  }
  return found as Sought;
}

/** The same for an address. */
export function writeTurnQuery(sought: Sought | null): Record<string, string | number> {
  if (sought === null) return {};
  const told: Record<string, string | number> = { turns: "" };
  for (const name of [...TEXTS, ...NUMBERS]) {
    const value = sought[name];
    if (value !== undefined) told[name] = value;
  }
  return told;
}
