/** Figures in plain words: which phrase says what a test came to. */

import type words from "../../words/compare";
import type { ComparisonView, Condition, EffectView, ExperimentLine, Measures, MetricView, MoveView, Sense } from "./types";

/** A phrase of this page. */
export type Key = keyof (typeof words)["en"];

const ALONE: Record<Sense, Key> = {
  better: "better",
  worse: "worse",
  differs: "differs",
  overlap: "differs",
  strengthen: "differs",
  depends: "differs",
  "no change": "noChange",
  "not shown": "notShown",
  "could not be shown": "couldNot",
  unknown: "unknown",
};
const TOGETHER: Record<Sense, Key> = {
  ...ALONE,
  better: "depends",
  worse: "depends",
  differs: "depends",
  overlap: "overlap",
  strengthen: "strengthen",
  depends: "depends",
  "no change": "bothSame",
  "not shown": "bothNotShown",
  "could not be shown": "bothCouldNot",
};
const BRIEFLY: Record<Sense, Key> = {
  better: "senseBetter",
  worse: "senseWorse",
  differs: "senseDiffers",
  overlap: "senseDiffers",
  strengthen: "senseDiffers",
  depends: "senseDiffers",
  "no change": "senseNoChange",
  "not shown": "senseNotShown",
  "could not be shown": "senseCouldNot",
  unknown: "senseUnknown",
};
const MOVES: Record<MoveView["change"], Key> = {
  better: "moveBetter",
  worse: "moveWorse",
  undecided: "moveUndecided",
  "the same": "moveSame",
  "nothing to count": "moveNothing",
};
const FACTORS = ["model", "temperature", "rulebook", "prompt", "language", "faults", "inject", "gm"] as const;

/** The phrase that says that no language model answered; null if one did. */
export function chooseNoticeKey(mode: ExperimentLine["mode"], measures: Measures): Key | null {
  if (mode === "sim") return "simulation";
  const kinds = new Set(measures.conditions.map(({ condition }) => (condition.model ?? "").split(":")[0]));
  const [kind, ...others] = [...kinds];
  if (others.length > 0) return kinds.size === 2 && kinds.has("canned") && kinds.has("fuzz") ? "canned" : null;
  return kind === "canned" || kind === "fuzz" ? kind : null;
}

/** The answer to what one factor does, or two together; `part`: a pair of conditions does not show it. */
export function chooseAnswerKey({ effect, sense }: EffectView, part = false): Key {
  if (part && sense === "better") return "betterInPart";
  if (part && sense === "worse") return "worseInPart";
  return effect.factors.length > 1 ? TOGETHER[sense] : ALONE[sense];
}

/** The pairs of conditions that could have shown what a factor does on average, and did not. */
export function listUnlikePairs(measures: Measures, { effect, sense }: EffectView): ComparisonView[] {
  if (effect.factors.length > 1 || (sense !== "better" && sense !== "worse")) return [];
  return measures.comparisons.filter(
    ({ comparison, sense: own }) =>
      comparison.metric === effect.metric &&
      comparison.factor === effect.factors[0] &&
      own !== sense &&
      own !== "could not be shown",
  );
}

/** What a test came to, in a word. */
export const chooseBriefKey = (sense: Sense): Key => BRIEFLY[sense];

/** What became of a number, in a word. */
export const chooseMoveKey = (change: MoveView["change"]): Key => MOVES[change];

/** The colour a word is told in; the word is told as well. */
export function chooseTone(sense: Sense | MoveView["change"]): "moss" | "plum" | "indigo" | "plain" {
  if (sense === "better") return "moss";
  if (sense === "worse") return "plum";
  return ["differs", "overlap", "strengthen", "depends"].includes(sense) ? "indigo" : "plain";
}

/** The phrase for a factor; null for one that has none. */
export function chooseFactorKey(factor: string): Key | null {
  const known = FACTORS.find((each) => each === factor);
  return known ? `factor_${known}` : null;
}

/** The effects on a number: what each factor does alone, then two together. */
export function listEffects(measures: Measures, metric: string): EffectView[] {
  const own = measures.effects.filter(({ effect }) => effect.metric === metric);
  return [...own].sort((a, b) => a.effect.factors.length - b.effect.factors.length);
}

/** The numbers to show: those a reader sees first, or all; without those that nobody has a value of. */
export function listShownMetrics(measures: Measures, all: boolean): MetricView[] {
  return measures.metrics.filter(
    ({ metric, headline }) =>
      (all || headline) &&
      measures.conditions.some(({ estimates }) => estimates[metric.name]?.mean != null),
  );
}

/** Levels that a condition is told apart by, beyond telling and refusing. */
export function listLevels(condition: Condition, line: ExperimentLine): [string, string][] {
  return Object.keys(line.factors)
    .filter((name) => name !== "inject" && name !== "gm")
    .map((name) => [name, String(condition[name as keyof Condition] ?? "")]);
}
