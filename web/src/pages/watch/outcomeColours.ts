/** What an outcome looks like. */

import type { TurnLine } from "./types";

type Tone = "plain" | "moss" | "plum" | "gold" | "indigo";

export const TONES: Record<TurnLine["outcome"], Tone> = {
  done: "moss",
  partly: "gold",
  refused: "plum",
  unclear: "gold",
  nothing: "plain",
  aside: "indigo",
};
