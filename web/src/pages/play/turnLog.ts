/** What was shown of a scenario, with the words it answered. */

import type { Schemas, StepResult } from "../../api/shapes";

/** A turn in one line. */
export type TurnLine = Schemas["TurnSummary"];

/** A step, what its reader had said (empty where nothing was), and the turn it came of (-1 for an opening). */
export type Retold = { step: StepResult; words: string; number: number; refused: boolean };

/** Other rules and other seats are turns of the run, and no step of it. */
const SHOWN: ReadonlySet<TurnLine["kind"]> = new Set(["turn", "undo", "load"]);

/** Put steps, the oldest first, beside their turns, the last first; an opening has none. */
export function joinTurns(steps: readonly StepResult[], turns: readonly TurnLine[], actor: string): Retold[] {
  const shown = turns.filter((turn) => SHOWN.has(turn.kind));
  return steps.map((step, at) => {
    const turn = shown[steps.length - 1 - at];
    const words = turn?.kind === "turn" && turn.actor === actor ? turn.words : "";
    return { step, words, number: turn?.number ?? -1, refused: turn !== undefined && turn.actor === actor && isRefused(turn) };
  });
}

/** Whether something of a turn was refused or not understood, so that there is a why. */
export function isRefused({ kind, outcome, codes }: TurnLine): boolean {
  return kind === "turn" && (outcome === "refused" || outcome === "partly" || (outcome === "unclear" && codes.length > 0));
}
