/** Places where their ways say they lie: north is up, where the author has named directions. */

import type { WayView } from "../types";
import type { Box, Drawing } from "./drawing";

type Cell = { column: number; row: number };

const STEPS: Record<string, Cell> = {
  north: { column: 0, row: -1 },
  south: { column: 0, row: 1 },
  east: { column: 1, row: 0 },
  west: { column: -1, row: 0 },
  northeast: { column: 1, row: -1 },
  northwest: { column: -1, row: -1 },
  southeast: { column: 1, row: 1 },
  southwest: { column: -1, row: 1 },
};
const JAPANESE: Record<string, string> = {
  北: "north",
  南: "south",
  東: "east",
  西: "west",
  北東: "northeast",
  北西: "northwest",
  南東: "southeast",
  南西: "southwest",
};
const GAP = { column: 96, row: 64 };
const MARGIN = 14;

/** Which way a label points, one cell further; null for one that is no direction. */
export function findStep(label: string): Cell | null {
  const word = label.trim().toLowerCase();
  return STEPS[JAPANESE[word] ?? word] ?? null;
}

/** A cell for each place; null where a way has no direction, or two places would share a cell. */
export function placeCells(places: readonly string[], ways: readonly WayView[]): Map<string, Cell> | null {
  const first = places[0];
  if (first === undefined) return null;
  const cells = new Map<string, Cell>([[first, { column: 0, row: 0 }]]);
  const waiting = [first];
  for (let here = waiting.shift(); here !== undefined; here = waiting.shift()) {
    const at = cells.get(here);
    if (at === undefined) return null;
    for (const way of ways.filter((each) => each.start === here)) {
      const step = findStep(way.label);
      if (step === null) return null;
      const there = { column: at.column + step.column, row: at.row + step.row };
      const known = cells.get(way.end);
      if (known && (known.column !== there.column || known.row !== there.row)) return null;
      if (!known) waiting.push(way.end);
      cells.set(way.end, there);
    }
  }
  const taken = new Set([...cells.values()].map(({ column, row }) => `${column} ${row}`));
  return cells.size === places.length && taken.size === cells.size ? cells : null;
}

/** The boxes on a grid by compass, and how large that is; null where it does not work out. */
export function snapToGrid(boxes: readonly Box[], ways: readonly WayView[]): Omit<Drawing, "roads"> | null {
  const cells = placeCells(boxes.map((box) => box.place.id), ways);
  if (cells === null) return null;
  const cellOf = (box: Box): Cell => cells.get(box.place.id) ?? { column: 0, row: 0 };
  const columns = middles(boxes, (box) => cellOf(box).column, (box) => box.width, GAP.column);
  const rows = middles(boxes, (box) => cellOf(box).row, (box) => box.height, GAP.row);
  return {
    width: columns.size,
    height: rows.size,
    boxes: boxes.map((box) => ({
      ...box,
      x: columns.at.get(cellOf(box).column) ?? 0,
      y: rows.at.get(cellOf(box).row) ?? 0,
    })),
  };
}

/** The middle of every column or row, each as wide as its widest box. */
function middles(
  boxes: readonly Box[],
  line: (box: Box) => number,
  size: (box: Box) => number,
  gap: number,
): { at: Map<number, number>; size: number } {
  const lines = [...new Set(boxes.map(line))].toSorted((a, b) => a - b);
  const at = new Map<number, number>();
  let end = MARGIN;
  for (const each of lines) {
    const widest = Math.max(...boxes.filter((box) => line(box) === each).map(size));
    at.set(each, end + widest / 2);
    end += widest + gap;
  }
  return { at, size: end - gap + MARGIN };
}
