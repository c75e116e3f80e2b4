import { expect, test } from "vitest";
import type { ThingView, WayView, WorldView } from "../types";
import { placeCells, findStep } from "./compass";
import { drawMap, listRoads, listRows } from "./drawing";

function thing(id: string, place: string, kind = "item"): ThingView {
  return { id, name: id, kind, place, room: "", description: "", closed: false, locked: false, hidden: false, state: [] };
}

function way(start: string, end: string, label: string, door = ""): WayView {
  return { start, end, label, door, door_name: door, closed: false, locked: false };
}

function world(ways: WayView[], places = ["a", "b", "c"]): WorldView {
  return {
    turn: 0,
    turns: 1,
    places: places.map((id) => ({ id, name: id, description: "", goal: false })),
    ways,
    things: [thing("mika", "a", "character"), thing("chest", "b", "container"), thing("key", "chest")],
    left_out: 0,
    changed: [],
    flags: {},
    hour: "",
    whose_turn: "",
    player: "mika",
    goal_reached: false,
  };
}

const CROSS = [way("a", "b", "east"), way("b", "a", "west"), way("a", "c", "north", "gate"), way("c", "a", "south", "gate")];

test("what a thing holds follows it, deeper", () => {
  const things = [thing("loaf", "room"), thing("key", "box"), thing("box", "room", "container"), thing("mika", "room", "character")];
  expect(listRows("room", things).map(({ thing: { id }, depth }) => [id, depth])).toEqual([
    ["mika", 0],
    ["box", 0],
    ["key", 1],
    ["loaf", 0],
  ]);
});

test("things that hold each other do not go round for ever", () => {
  expect(listRows("room", [thing("a", "b"), thing("b", "a")])).toEqual([]);
});

test("there and back is one road, through the same door", () => {
  expect(listRoads(CROSS).map(({ start, end, back }) => [start, end, back?.label])).toEqual([
    ["a", "b", "west"],
    ["a", "c", "south"],
  ]);
  expect(listRoads([way("a", "b", "east"), way("b", "a", "west", "door")])).toHaveLength(2);
});

test("a way without a way back is a road in one direction", () => {
  expect(listRoads([way("a", "b", "east")]).map(({ back }) => back)).toEqual([null]);
});

test("directions are known in both languages", () => {
  expect(findStep("North")).toEqual({ column: 0, row: -1 });
  expect(findStep("東")).toEqual({ column: 1, row: 0 });
  expect(findStep("up the stairs")).toBeNull();
});

test("north is up and east is right", () => {
  const drawing = drawMap(world(CROSS));
  const at = new Map(drawing.boxes.map((box) => [box.place.id, box]));
  expect(at.get("c")?.y).toBeLessThan(at.get("a")?.y ?? 0);
  expect(at.get("b")?.x).toBeGreaterThan(at.get("a")?.x ?? 0);
  expect(drawing.roads.every((road) => road.points.length === 2)).toBe(true);
});

test("a compass that does not work out is laid out in layers", () => {
  const crooked = [way("a", "b", "east"), way("b", "c", "east"), way("c", "a", "east")];
  expect(placeCells(["a", "b", "c"], crooked)).toBeNull();
  expect(placeCells(["a", "b"], [way("a", "b", "stairs")])).toBeNull();
  expect(placeCells(["a", "b"], [])).toBeNull();
  expect(drawMap(world(crooked)).boxes).toHaveLength(3);
});

test("no two boxes lie on each other", () => {
  for (const ways of [CROSS, [way("a", "b", "stairs"), way("a", "c", "hole")]]) {
    const { boxes } = drawMap(world(ways));
    for (const one of boxes)
      for (const other of boxes)
        if (one !== other)
          expect(
            Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
              Math.abs(one.y - other.y) >= (one.height + other.height) / 2,
          ).toBe(true);
  }
});

test("an empty world is an empty drawing", () => {
  expect(drawMap(world([], [])).boxes).toEqual([]);
});
