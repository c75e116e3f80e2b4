/** Where the nodes and ways of a graph lie: a layered drawing, the same every time. */

import { Graph, layout } from "@dagrejs/dagre";

/** A size, in pixels. */
export type Size = { width: number; height: number };

/** A point, in pixels. */
export type Point = { x: number; y: number };

/** A way to be laid out; with `label`, room is kept for its words, with `weight` it is drawn straighter. */
export type Way = { start: string; end: string; label?: Size; weight?: number };

/** A node in its place: the middle of its box. */
export type PlacedNode = Size & Point & { id: string };

/** A way in its place: the points it goes through, and the middle of its label. */
export type PlacedWay = { points: Point[]; label: Point | null };

/** A whole graph in its place; ways in the order they were given in. */
export type Placed = Size & { nodes: PlacedNode[]; ways: PlacedWay[] };

/** Which way a drawing goes: to the right, or down. */
export type Direction = "LR" | "TB";

const MARGIN = 12;
const REACH = 26;

/** Lay a graph out. Ways to nodes that are not there are left without points. */
export function layOutGraph(
  nodes: readonly (Size & { id: string })[],
  ways: readonly Way[],
  direction: Direction,
): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 26, ranksep: 44, edgesep: 14, marginx: MARGIN, marginy: MARGIN });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  ways.forEach((way, number) => {
    if (!graph.hasNode(way.start) || !graph.hasNode(way.end) || way.start === way.end) return;
    const room = way.label ? { ...way.label, labelpos: "c" } : { width: 0, height: 0 };
    graph.setEdge(way.start, way.end, { ...room, minlen: 1, weight: way.weight ?? 1 }, String(number));
  });
  layout(graph);
  const placed = nodes.map(({ id, width, height }) => ({ id, width, height, ...pointOf(graph.node(id)) }));
  const known = new Map(placed.map((node) => [node.id, node]));
  const found = ways.map((way, number) => {
    const node = way.start === way.end ? known.get(way.start) : undefined;
    return node ? loopAt(node, way, direction) : placedWay(graph.edge(way.start, way.end, String(number)), way);
  });
  const size = { width: Number(graph.graph().width ?? 0), height: Number(graph.graph().height ?? 0) };
  return enclosed({ ...size, nodes: placed, ways: found }, ways);
}

/** A way from a node to itself: an ear above it, or beside it where the drawing goes down. */
function loopAt(node: PlacedNode, way: Way, direction: Direction): PlacedWay {
  const ear = (along: number, away: number): Point =>
    direction === "LR"
      ? { x: node.x + along, y: node.y - node.height / 2 - away }
      : { x: node.x + node.width / 2 + away, y: node.y + along };
  const points = [ear(-10, 0), ear(-20, REACH), ear(20, REACH), ear(10, 0)];
  if (!way.label) return { points, label: null };
  const apart = REACH + (direction === "LR" ? way.label.height : way.label.width) / 2;
  return { points, label: ear(0, apart) };
}

/** The drawing with room for what reaches over its edges. */
function enclosed(placed: Placed, ways: readonly Way[]): Placed {
  let [left, top, right, bottom] = [0, 0, placed.width, placed.height];
  const take = (point: Point, { width, height }: Size): void => {
    left = Math.min(left, point.x - width / 2);
    right = Math.max(right, point.x + width / 2);
    top = Math.min(top, point.y - height / 2);
    bottom = Math.max(bottom, point.y + height / 2);
  };
  placed.ways.forEach(({ points, label }, number) => {
    for (const point of points) take(point, { width: 4, height: 4 });
    if (label) take(label, ways[number]?.label ?? { width: 0, height: 0 });
  });
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x - left, y: point.y - top });
  return {
    width: right - left,
    height: bottom - top,
    nodes: placed.nodes.map(moved),
    ways: placed.ways.map(({ points, label }) => ({ points: points.map(moved), label: label && moved(label) })),
  };
}

/** Roughly how wide some words are: letters of Chinese and Japanese are as wide as they are high. */
export function measureText(text: string, size: number): number {
  let wide = 0;
  for (const letter of text) wide += /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]/.test(letter) ? 1 : 0.56;
  return wide * size;
}

/** A soft line through points, as the `d` of a path. */
export function drawPath(points: readonly Point[]): string {
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
