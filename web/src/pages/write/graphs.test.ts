import { expect, test } from "vitest";
import type { CheckedWorld } from "./calls";
import { drawStory, drawWorld, findKeyLine } from "./graphs";

test("a section that no way leads to is told", () => {
  const edge = (end: string) => ({ start: "n0", end, kind: "call", labels: [] });
  const node = { id: "n0", name: "attic", kind: "section", file: "", line: 4, reached: false };
  const drawn = drawStory({ nodes: [node], edges: [edge("n0"), edge("n1")], left_out: 2 });
  expect(drawn.nodes[0]?.lost).toBe(true);
  expect(drawn.ways).toEqual([{ start: "n0", end: "n1", labels: [], dashed: true, shut: false }]);
  expect(drawn.leftOut).toBe(2);
});

test("the way there and the way back are one, and people come before things", () => {
  const thing = { place: "a", room: "a", description: "", closed: false, locked: false, hidden: false, state: [] };
  const way = { label: "north", door: "d", door_name: "gate", closed: true, locked: false };
  const world: NonNullable<CheckedWorld["world"]> = {
    turn: -1,
    turns: 0,
    places: [
      { id: "a", name: "Garden", description: "", goal: false },
      { id: "b", name: "Orchard", description: "", goal: true },
    ],
    ways: [
      { ...way, start: "a", end: "b" },
      { ...way, start: "b", end: "a" },
    ],
    things: [
      { ...thing, id: "x", name: "lamp", kind: "item" },
      { ...thing, id: "y", name: "Ana", kind: "character" },
    ],
    left_out: 0,
    changed: [],
    flags: {},
    hour: "",
    whose_turn: "",
    player: "y",
    goal_reached: false,
  };
  const drawn = drawWorld(world, "locations:\n  a:\n    x: 1\n");
  expect(drawn.ways).toEqual([{ start: "a", end: "b", labels: ["gate"], dashed: true, shut: true }]);
  expect(drawn.nodes[0]?.below).toEqual(["● Ana", "· lamp"]);
  expect(drawn.nodes.map((node) => [node.look, node.line])).toEqual([["section", 2], ["ending", 0]]);
});

test("a key is found in both forms, and letters that patterns know are only letters", () => {
  expect(findKeyLine('{\n  "a.b": 1}', "a.b")).toBe(2);
  expect(findKeyLine("axb: 1", "a.b")).toBe(0);
});
