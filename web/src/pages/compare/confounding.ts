/** Pairs of conditions that differ in several things which never change alone. */

import { CONFOUNDED } from "../../words/notes";
import { listEffects } from "./phrases";
import type { Condition, ConditionMeasures, EffectView, Measures } from "./types";

const MOST = 6;

/** Two conditions, and what they differ in at once. */
export type Apart = { first: ConditionMeasures; second: ConditionMeasures; factors: string[] };

/** Whether nothing can be said of an effect because its factor never changes alone. */
export const isConfounded = ({ effect }: EffectView): boolean => effect.note === CONFOUNDED;

/** The pairs that no test can take apart for a number; the first few. */
export function findConfoundedPairs(measures: Measures, metric: string): Apart[] {
  const alone = listEffects(measures, metric).filter(({ effect }) => effect.factors.length === 1);
  const factors = alone.flatMap(({ effect }) => effect.factors);
  const tangled = new Set(alone.filter(isConfounded).flatMap(({ effect }) => effect.factors));
  const fits = (pair: Apart): boolean => pair.factors.length > 1 && pair.factors.every((each) => tangled.has(each));
  const shown = measures.conditions.filter(({ estimates }) => estimates[metric]?.mean != null);
  return tangled.size === 0 ? [] : pairsOf(shown, factors).filter(fits).slice(0, MOST);
}

function pairsOf(conditions: ConditionMeasures[], factors: string[]): Apart[] {
  return conditions.flatMap((first, nth) =>
    conditions.slice(nth + 1).map((second) => ({
      first,
      second,
      factors: factors.filter((each) => level(first.condition, each) !== level(second.condition, each)),
    })),
  );
}

/** A condition's level of a factor; telling and refusing are on where nothing is said of them. */
function level(condition: Condition, factor: string): string {
  return String(condition[factor as keyof Condition] ?? (factor === "inject" || factor === "gm"));
}
