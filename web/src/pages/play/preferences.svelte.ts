/** How somebody likes to read and hear; kept in their browser. */

import { writeSetting, readSetting } from "../../app/settings.svelte";

/** Everything the player's settings hold. */
export type Preferences = {
  /** Letters a second; 0 for all at once. */
  speed: number;
  /** How much faster than usual it goes on by itself. */
  pace: number;
  /** The size of story text, in hundredths. */
  size: number;
  /** Loudness, in hundredths. */
  music: number;
  sounds: number;
  muted: boolean;
  /** Show how words are understood before they count. */
  preview: boolean;
};

const NAME = "play";

function usual(): Preferences {
  const still = typeof window !== "undefined" && window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  return { speed: still ? 0 : 45, pace: 1, size: 100, music: 50, sounds: 70, muted: false, preview: false };
}

/** What was kept, as far as it fits; anything else is as usual. */
export function readPreferences(text: string | null, otherwise: Preferences): Preferences {
  let found: unknown = null;
  try {
    found = JSON.parse(text ?? "null");
  } catch {
    return otherwise;
  }
  if (typeof found !== "object" || found === null) return otherwise;
  const fitting = Object.entries(found).filter(
    ([name, value]) => name in otherwise && typeof value === typeof otherwise[name as keyof Preferences],
  );
  return { ...otherwise, ...Object.fromEntries(fitting) };
}

/** The preferences of this browser. Call `keepPreferences` after changing them. */
export const preferences: Preferences = $state(readPreferences(readSetting(NAME), usual()));

/** Keep them for next time. */
export function savePreferences(): void {
  writeSetting(NAME, JSON.stringify(preferences));
}
