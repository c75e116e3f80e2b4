/** A process as a drawing: boxes for its states, ways with words where somebody looks. */

import { layOutGraph, measureText, type Direction, type PlacedNode, type Point } from "../../parts/graph/layout";
import { formatEvent, formatName } from "./names";
import type { Graph, Trodden } from "./types";

/** The height of a letter in a box, in pixels. */
export const LETTER = 14;
/** The height of a letter beside a way. */
export const SMALL = 12;

const HEIGHT = 38;
const LONGEST = 26;
const STRAIGHT = 12;

/** A state, drawn. */
export type Box = PlacedNode & { name: string; text: string; kind: string; been: boolean; here: boolean; count: number };

/** A way, drawn; `words` is empty where only a pointer asks for them. */
export type Line = {
  points: Point[];
  label: Point | null;
  words: string;
  from: string;
  to: string;
  events: string;
  trodden: boolean;
  timed: boolean;
};

/** Everything that is drawn. */
export type Drawing = { width: number; height: number; boxes: Box[]; lines: Line[] };

/** What a drawing shows: where a run stands and has been, or how many runs stand where. */
export type Shown = { here?: string | undefined; trail?: readonly Trodden[] | undefined; standing?: Readonly<Record<string, number>> | undefined };

/** Draw a process; ways that leave the state one is in have their words beside them. */
export function drawProcess(graph: Graph, shown: Shown, direction: Direction): Drawing {
  const { here, trail = [], standing = {} } = shown;
  const names = new Map(graph.nodes.map((node) => [node.id, node.name]));
  const been = new Set(trail.flatMap((each) => [each.from_state, each.to_state]));
  const ways = graph.edges.map((edge) => {
    const events = [...new Set(edge.labels.map(formatEvent))].map(formatName).join(", ");
    const words = here !== undefined && names.get(edge.start) === here ? cut(events) : "";
    const label = words ? { width: measureText(words, SMALL) + 10, height: SMALL + 8 } : undefined;
    const weight = follows(graph, edge.start, edge.end) ? STRAIGHT : 1;
    return { edge, events, words, way: { start: edge.start, end: edge.end, weight, ...(label ? { label } : {}) } };
  });
  const boxes = graph.nodes.map((node) => {
    const text = cut(formatName(node.name));
    return { id: node.id, name: node.name, text, kind: node.kind, width: Math.max(70, measureText(text, LETTER) + 34), height: HEIGHT };
  });
  const placed = layOutGraph(boxes, ways.map((each) => each.way), direction);
  return {
    width: placed.width,
    height: placed.height,
    boxes: boxes.map((box, number) => ({
      ...box,
      ...(placed.nodes[number] ?? { x: 0, y: 0 }),
      been: been.has(box.name),
      here: box.name === here,
      count: standing[box.name] ?? 0,
    })),
    lines: ways.map(({ edge, events, words }, number) => {
      const from = names.get(edge.start) ?? "";
      const to = names.get(edge.end) ?? "";
      const { points, label } = placed.ways[number] ?? { points: [], label: null };
      const trodden = trail.some((each) => each.from_state === from && each.to_state === to);
      return { points, label, words, from, to, events, trodden, timed: edge.kind === "timer" };
    }),
  };
}

/** Whether a state comes right after another in its author's order: that is the road, and it is drawn straight. */
function follows(graph: Graph, start: string, end: string): boolean {
  const at = graph.nodes.findIndex((node) => node.id === start);
  return graph.nodes[at + 1]?.id === end;
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : text;
}
