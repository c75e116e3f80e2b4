import { expect, test } from "vitest";
import { layOutGraph, drawPath, measureText } from "./layout";

const box = (id: string) => ({ id, width: 80, height: 30 });
const NODES = [box("a"), box("b"), box("c")];
const WAYS = [
  { start: "a", end: "b" },
  { start: "b", end: "c", label: { width: 60, height: 16 } },
  { start: "c", end: "a" },
  { start: "b", end: "b" },
  { start: "a", end: "b" },
];

test("what follows lies to the right, or below", () => {
  const right = layOutGraph(NODES, WAYS, "LR");
  const down = layOutGraph(NODES, WAYS, "TB");
  expect(right.nodes.map((node) => node.x)).toEqual(right.nodes.map((node) => node.x).toSorted((a, b) => a - b));
  expect(down.nodes[0]?.y).toBeLessThan(down.nodes[2]?.y ?? 0);
});

test("every way has points, also a second one, one back and one to itself", () => {
  const placed = layOutGraph(NODES, WAYS, "LR");
  expect(placed.ways.map((way) => way.points.length >= 2)).toEqual([true, true, true, true, true]);
});

test("only a way with words has a place for them, inside the drawing", () => {
  const placed = layOutGraph(NODES, WAYS, "LR");
  expect(placed.ways.map((way) => way.label === null)).toEqual([true, false, true, true, true]);
  expect(placed.ways[1]?.label?.x).toBeLessThan(placed.width);
});

test("an ear of a node stays inside the drawing, with its words", () => {
  for (const direction of ["LR", "TB"] as const) {
    const placed = layOutGraph([box("a")], [{ start: "a", end: "a", label: { width: 90, height: 20 } }], direction);
    const way = placed.ways[0];
    const corners = [...(way?.points ?? []), { x: (way?.label?.x ?? 0) + 45, y: (way?.label?.y ?? 0) - 10 }];
    expect(corners.every(({ x, y }) => x >= 0 && y >= 0 && x <= placed.width && y <= placed.height)).toBe(true);
    expect(way?.label).not.toBeNull();
  }
});

test("the same graph is laid out the same, and nothing breaks on a way to nowhere", () => {
  const ways = [...WAYS, { start: "a", end: "nowhere" }];
  expect(layOutGraph(NODES, ways, "TB")).toEqual(layOutGraph(NODES, ways, "TB"));
  expect(layOutGraph(NODES, ways, "TB").ways[5]).toEqual({ points: [], label: null });
  expect(layOutGraph([], [], "LR").nodes).toEqual([]);
});

test("a line goes from the first point to the last", () => {
  const path = drawPath([{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 10, y: 10 }, { x: 20, y: 10 }]);
  expect(path).toBe("M0,0Q10,0 10,5Q10,10 20,10");
  expect(drawPath([{ x: 0, y: 0 }, { x: 5, y: 5 }])).toBe("M0,0L5,5");
  expect(drawPath([])).toBe("");
});

test("Japanese letters are wider", () => {
  expect(measureText("庭園", 10)).toBe(20);
  expect(measureText("ab", 10)).toBeCloseTo(11.2);
});
