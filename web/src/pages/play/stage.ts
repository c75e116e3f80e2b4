/** What is on the stage: a pure fold of StepResults, and of nothing else. */

import type { Directive, Next, Option, StepResult } from "../../api/shapes";
import type { Span } from "./textSpans";

/** A picture on its layer. */
export type Layer = { name: string; path: string };

/** A line somebody says; an empty speaker is the narrator. */
export type Line = { speaker: string; text: string; tags: readonly string[]; spans?: readonly Span[] };

/** Everything a player shows at one moment. */
export type Stage = {
  /** Pictures from back to front. */
  layers: readonly Layer[];
  /** The music that plays; null for silence. */
  music: string | null;
  /** The lines of this step, in order. */
  lines: readonly Line[];
  /** Sounds of this step, each to be played once. */
  sounds: readonly string[];
  /** The film of this step. */
  movie: string | null;
  /** What can be chosen; empty where nothing is offered. */
  options: readonly Option[];
  /** What is asked; null where no answer in words is asked for by the story. */
  question: string | null;
  /** The ending that is reached. */
  ending: { id: string; name: string } | null;
  /** Seconds that pass before going on. */
  pause: number;
  /** What to do after showing all this. */
  next: Next;
};

/** A stage before anything was shown. */
export const EMPTY: Stage = {
  layers: [],
  music: null,
  lines: [],
  sounds: [],
  movie: null,
  options: [],
  question: null,
  ending: null,
  pause: 0,
  next: "Next",
};

/** The stage after a step: pictures and music stay, everything else is the step's own. */
export function showStep(stage: Stage, step: StepResult): Stage {
  const cleared: Stage = { ...EMPTY, layers: stage.layers, music: stage.music, next: step.next };
  return step.directives.reduce(directed, cleared);
}

/** The stage of somebody who comes in here: emptied, its scenery shown, then the step. */
export function showArrival(step: StepResult, scenery: StepResult | null | undefined): Stage {
  const bare = scenery ? showStep(EMPTY, scenery) : EMPTY;
  return showStep({ ...bare, sounds: [] }, step);
}

function directed(stage: Stage, directive: Directive): Stage {
  switch (directive.type) {
    case "Say": {
      const { speaker, text, tags = [], spans } = directive.args;
      const line: Line = spans ? { speaker, text, tags, spans } : { speaker, text, tags };
      return { ...stage, lines: [...stage.lines, line] };
    }
    case "ShowImage":
      return { ...stage, layers: pictured(stage.layers, directive.args.layer, directive.args.path) };
    case "ClearLayer":
      return { ...stage, layers: pictured(stage.layers, directive.args.layer, null) };
    case "PlayBgm":
      return { ...stage, music: directive.args.path ?? null };
    case "PlaySe":
      return directive.args.path ? { ...stage, sounds: [...stage.sounds, directive.args.path] } : stage;
    case "PlayMovie":
      return { ...stage, movie: directive.args.path ?? null };
    case "Wait":
      return { ...stage, pause: stage.pause + Math.max(0, directive.args.seconds) };
    case "Branch": {
      const { choices, options } = directive.args;
      return { ...stage, options: options ?? choices.map((text) => ({ text, enabled: true })) };
    }
    case "Ask":
      return { ...stage, question: directive.args.prompt };
    case "Ending":
      return { ...stage, ending: { id: directive.args.id, name: directive.args.name ?? "" } };
    default:
      // Events and labels show nothing here, and neither does what a later contract adds.
      return stage;
  }
}

const BEHIND = /^(bg|back|main|scene|sky)/i;
const BEFORE = /^(fg|front|fore|over|effect)/i;

/** How far to the front a layer stands: backgrounds, then everybody, then what hangs before them. */
export function getDepth(layer: string): number {
  if (BEHIND.test(layer)) return 0;
  return BEFORE.test(layer) ? 2 : 1;
}

function pictured(layers: readonly Layer[], name: string, path: string | null | undefined): readonly Layer[] {
  if (!path) return layers.filter((layer) => layer.name !== name);
  const at = layers.findIndex((layer) => layer.name === name);
  if (at >= 0) return layers.with(at, { name, path });
  return [...layers, { name, path }].sort((a, b) => getDepth(a.name) - getDepth(b.name));
}
