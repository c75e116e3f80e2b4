/** What was shown of a scenario, with the words it answered. */

import type { Schemas, StepResult } from "../../api/shapes";

/** A turn in one line. */
export type TurnLine = Schemas["TurnLine"];

/** A step, and what its reader had said; empty where nothing was. */
export type Retold = { step: StepResult; words: string };

/** Other rules and other seats are turns of the run, and no step of it. */
const SHOWN: ReadonlySet<TurnLine["kind"]> = new Set(["turn", "undo", "load"]);

/** Put steps, the oldest first, beside their turns, the last first; an opening has none. */
export function retold(steps: readonly StepResult[], turns: readonly TurnLine[], actor: string): Retold[] {
  const shown = turns.filter((turn) => SHOWN.has(turn.kind));
  return steps.map((step, at) => {
    const turn = shown[steps.length - 1 - at];
    return { step, words: turn?.kind === "turn" && turn.actor === actor ? turn.words : "" };
  });
}
