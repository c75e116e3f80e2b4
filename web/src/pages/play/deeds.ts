/** What can be done beside going on: the same deeds by button and by key. */

/** One function a deed. */
export type Deeds = {
  back: () => void;
  log: () => void;
  auto: () => void;
  skip: () => void;
  saves: () => void;
  options: () => void;
  hide: () => void;
  mute: () => void;
};

/** Which key does which deed. */
export const DEED_OF: Readonly<Record<string, keyof Deeds>> = {
  PageUp: "back",
  Backspace: "back",
  ArrowLeft: "back",
  l: "log",
  a: "auto",
  k: "skip",
  s: "saves",
  o: "options",
  h: "hide",
  m: "mute",
};

/** Which choice a key takes, counted from 0; null where it takes none. */
export function choiceOf(key: string): number | null {
  return /^[1-9]$/.test(key) ? Number(key) - 1 : null;
}
