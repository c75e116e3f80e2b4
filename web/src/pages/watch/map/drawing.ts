/** From a world to a drawing: boxes with who and what is where, and ways between them. */

import { layOutGraph, measureText, type Point } from "../../../parts/graph/layout";
import type { PlaceView, ThingView, WayView, WorldView } from "../types";
import { snapToGrid } from "./compass";

/** One line in a box: a thing, so deep inside of others. */
export type Row = { thing: ThingView; depth: number };

/** A place in its box; `more` things do not fit. */
export type Box = {
  place: PlaceView;
  rows: Row[];
  more: number;
  x: number;
  y: number;
  width: number;
  height: number;
};

/** A way in both directions, or one. */
export type Road = {
  start: string;
  end: string;
  there: WayView;
  back: WayView | null;
  points: Point[];
  label: Point;
};

/** The whole map. */
export type Drawing = { width: number; height: number; boxes: Box[]; roads: Road[] };

export const ROW = 24;
export const HEAD = 40;
const FOOT = 10;
const MOST_ROWS = 7;
const WIDTHS = { least: 150, most: 230 };

/** Everything in a place, each thing followed by what it holds. */
export function listRows(place: string, things: readonly ThingView[]): Row[] {
  const inside = new Map<string, ThingView[]>();
  for (const thing of things) inside.set(thing.place, [...(inside.get(thing.place) ?? []), thing]);
  const rows: Row[] = [];
  const seen = new Set<string>();
  const add = (holder: string, depth: number): void => {
    for (const thing of sorted(inside.get(holder) ?? [])) {
      if (seen.has(thing.id)) continue;
      seen.add(thing.id);
      rows.push({ thing, depth });
      if (depth < 12) add(thing.id, depth + 1);
    }
  };
  add(place, 0);
  return rows;
}

/** People first, then what can hold something, then the rest; by name. */
function sorted(things: readonly ThingView[]): ThingView[] {
  const rank = (thing: ThingView): number =>
    thing.kind === "character" ? 0 : ["container", "supporter"].includes(thing.kind) ? 1 : 2;
  return things.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Ways there and back become one road. */
export function listRoads(ways: readonly WayView[]): Omit<Road, "points" | "label">[] {
  const roads: Omit<Road, "points" | "label">[] = [];
  const taken = new Set<WayView>();
  for (const there of ways) {
    if (taken.has(there)) continue;
    const back = ways.find(
      (way) => way !== there && !taken.has(way) && way.start === there.end && way.end === there.start && way.door === there.door,
    );
    taken.add(there);
    if (back) taken.add(back);
    roads.push({ start: there.start, end: there.end, there, back: back ?? null });
  }
  return roads;
}

/** Draw a world: by its compass where it has one that works out, else in layers. */
export function drawMap(world: WorldView): Drawing {
  const boxes = world.places.map((place) => sized(place, world.things));
  const roads = listRoads(world.ways);
  const grid = snapToGrid(boxes, world.ways);
  if (grid) return { ...grid, roads: roads.map((road) => straight(road, grid.boxes)) };
  return layered(boxes, roads);
}

function sized(place: PlaceView, things: readonly ThingView[]): Box {
  const all = listRows(place.id, things);
  const rows = all.length > MOST_ROWS ? all.slice(0, MOST_ROWS - 1) : all;
  const more = all.length - rows.length;
  const longest = Math.max(measureText(place.name, 17) + 34, ...rows.map((row) => measureText(row.thing.name, 14) + 54 + row.depth * 14));
  const width = Math.min(WIDTHS.most, Math.max(WIDTHS.least, Math.ceil(longest)));
  const lines = rows.length + (more > 0 ? 1 : 0);
  return { place, rows, more, x: 0, y: 0, width, height: HEAD + lines * ROW + (lines ? FOOT : 0) };
}

function layered(boxes: Box[], roads: Omit<Road, "points" | "label">[]): Drawing {
  const nodes = boxes.map(({ place, width, height }) => ({ id: place.id, width, height }));
  const ways = roads.map(({ start, end, there }) => ({ start, end, label: { width: Math.max(40, measureText(there.door_name, 13) + 24), height: 34 } }));
  const placed = layOutGraph(nodes, ways, "LR");
  return {
    width: placed.width,
    height: placed.height,
    boxes: boxes.map((box, number) => ({ ...box, x: placed.nodes[number]?.x ?? 0, y: placed.nodes[number]?.y ?? 0 })),
    roads: roads.map((road, number) => {
      const found = placed.ways[number];
      return { ...road, points: found?.points ?? [], label: found?.label ?? { x: 0, y: 0 } };
    }),
  };
}

/** From the edge of one box to the edge of the other. */
function straight(road: Omit<Road, "points" | "label">, boxes: readonly Box[]): Road {
  const from = boxes.find((box) => box.place.id === road.start);
  const to = boxes.find((box) => box.place.id === road.end);
  if (!from || !to || from === to) return { ...road, points: [], label: { x: 0, y: 0 } };
  const start = edge(from, to);
  const end = edge(to, from);
  return { ...road, points: [start, end], label: { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 } };
}

/** Where the line between two middles leaves the first box. */
function edge(box: Box, other: Box): Point {
  const dx = other.x - box.x;
  const dy = other.y - box.y;
  const far = Math.max(Math.abs(dx) / (box.width / 2), Math.abs(dy) / (box.height / 2)) || 1;
  return { x: box.x + dx / far, y: box.y + dy / far };
}
