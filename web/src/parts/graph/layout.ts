/** Where the nodes and ways of a graph lie: a layered drawing, the same every time. */

import { Graph, layout } from "@dagrejs/dagre";

/** A size, in pixels. */
export type Size = { width: number; height: number };

/** A point, in pixels. */
export type Point = { x: number; y: number };

/** A way to be laid out; with `label`, room is kept for its words. */
export type Way = { start: string; end: string; label?: Size };

/** A node in its place: the middle of its box. */
export type PlacedNode = Size & Point & { id: string };

/** A way in its place: the points it goes through, and the middle of its label. */
export type PlacedWay = { points: Point[]; label: Point | null };

/** A whole graph in its place; ways in the order they were given in. */
export type Placed = Size & { nodes: PlacedNode[]; ways: PlacedWay[] };

/** Which way a drawing goes: to the right, or down. */
export type Direction = "LR" | "TB";

const MARGIN = 12;

/** Lay a graph out. Ways to nodes that are not there are left without points. */
export function layOut(
  nodes: readonly (Size & { id: string })[],
  ways: readonly Way[],
  direction: Direction,
): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 26, ranksep: 44, edgesep: 14, marginx: MARGIN, marginy: MARGIN });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  const known = new Set(nodes.map((node) => node.id));
  ways.forEach((way, number) => {
    if (!known.has(way.start) || !known.has(way.end)) return;
    const room = way.label ? { ...way.label, labelpos: "c" } : { width: 0, height: 0 };
    graph.setEdge(way.start, way.end, { ...room, minlen: 1 }, String(number));
  });
  layout(graph);
  return {
    width: Number(graph.graph().width ?? 0),
    height: Number(graph.graph().height ?? 0),
    nodes: nodes.map(({ id, width, height }) => ({ id, width, height, ...pointOf(graph.node(id)) })),
    ways: ways.map((way, number) => placedWay(graph.edge(way.start, way.end, String(number)), way)),
  };
}

/** Roughly how wide some words are: letters of Chinese and Japanese are as wide as they are high. */
export function widthOf(text: string, size: number): number {
  let wide = 0;
  for (const letter of text) wide += /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/.test(letter) ? 1 : 0.56;
  return wide * size;
}

/** A soft line through points, as the `d` of a path. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.pop();
  if (last === undefined) return "";
  let path = `M${at(first)}`;
  rest.forEach((point, number) => {
    const next = rest[number + 1] ?? last;
    const end = number === rest.length - 1 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    path += `Q${at(point)} ${at(end)}`;
  });
  return rest.length === 0 ? `${path}L${at(last)}` : path;
}

function at(point: Point): string {
  return `${Math.round(point.x * 10) / 10},${Math.round(point.y * 10) / 10}`;
}

type Found = { x?: number; y?: number; points?: Point[] } | undefined;

function pointOf(found: Found): Point {
  return { x: found?.x ?? 0, y: found?.y ?? 0 };
}

function placedWay(found: Found, way: Way): PlacedWay {
  const points = (found?.points ?? []).map(({ x, y }) => ({ x, y }));
  return { points, label: way.label && found ? pointOf(found) : null };
}
