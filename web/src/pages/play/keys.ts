/** The keys of a player: what they do, and how `?` lists them. */

import type { KeyRow } from "../../app/keymap.svelte";
import { isPressKey } from "../../app/keys";
import type words from "../../words/play";
import { findAction, findChoice, type Deeds } from "./playerActions";
import type { Playing } from "./playing.svelte";

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

/** Do what a key of the player does; other keys are left to the page. */
export function handleKey(event: KeyboardEvent, playing: Playing, deeds: Deeds): void {
  const choice = findChoice(event.key);
  const deed = findAction(event.key, playing.flows);
  if (choice !== null && playing.choosing) {
    if (playing.stage.options[choice]?.enabled && !playing.busy) void playing.choose(choice);
    return;
  }
  if (event.key === "/" && playing.speaking) document.querySelector<HTMLElement>("[data-words]")?.focus();
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") return moveToOption(event);
  else if (deed !== undefined) deeds[deed]();
  else if (!playing.flows && [" ", "Enter", "ArrowRight"].includes(event.key) && !isPressKey(event)) void playing.advance();
  else return;
  event.preventDefault();
}

function moveToOption(event: KeyboardEvent): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-choice]")];
  if (all.length === 0) return;
  const at = all.findIndex((each) => each === document.activeElement);
  const step = event.key === "ArrowDown" ? 1 : -1;
  const to = at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length;
  all[to]?.focus();
  event.preventDefault();
}
