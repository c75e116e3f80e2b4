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
const DEED_OF: Readonly<Record<string, keyof Deeds>> = {
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

/** What there is to do where text flows: nothing there is typed, hidden, skipped or heard. */
const FLOWING: ReadonlySet<keyof Deeds> = new Set(["back", "log", "saves", "options"]);

/** The deed of a key; undefined where it has none. */
export function findAction(key: string, flows: boolean): keyof Deeds | undefined {
  const deed = DEED_OF[key.length === 1 ? key.toLowerCase() : key];
  return deed !== undefined && (!flows || FLOWING.has(deed)) ? deed : undefined;
}

/** Which choice a key takes, counted from 0; null where it takes none. */
export function findChoice(key: string): number | null {
  return /^[1-9]$/.test(key) ? Number(key) - 1 : null;
}
