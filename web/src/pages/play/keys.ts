/** The keys of a player, as `?` lists them. */

import type { KeyRow } from "../../app/keymap.svelte";
import type words from "../../words/play";

type Word = keyof (typeof words)["en"];

const STAGE: readonly (readonly [Word, ...string[]])[] = [
  ["keyNext", "Space", "Enter", "→"],
  ["keyChoose", "1–9"],
  ["keyMove", "↑", "↓"],
  ["keyBack", "PageUp", "←"],
  ["keyWords", "/"],
  ["keyLog", "L"],
  ["keyAuto", "A"],
  ["keySkip", "K"],
  ["keySaves", "S"],
  ["keyOptions", "O"],
  ["keyMute", "M"],
  ["keyHide", "H"],
];
const FLOWING: readonly (readonly [Word, ...string[]])[] = [
  ["keyWords", "/"],
  ["keyChoose", "1–9"],
  ["keyMove", "↑", "↓"],
  ["takeBack", "PageUp", "←"],
  ["keyLog", "L"],
  ["keySaves", "S"],
  ["keyOptions", "O"],
];

/** The keys that do something: where text flows these are fewer. */
export function listKeyRows(flows: boolean, t: (key: Word) => string): KeyRow[] {
  return (flows ? FLOWING : STAGE).map(([does, ...keys]) => ({ keys, does: t(does) }));
}
