import { expect, test } from "vitest";
import { drawStory, findKeyLine } from "./graphs";

test("a section that no way leads to is told", () => {
  const edge = (end: string) => ({ start: "n0", end, kind: "call", labels: [] });
  const node = { id: "n0", name: "attic", kind: "section", file: "", line: 4, reached: false };
  const drawn = drawStory({ nodes: [node], edges: [edge("n0"), edge("n1")], left_out: 2 });
  expect(drawn.nodes[0]?.lost).toBe(true);
  expect(drawn.ways).toEqual([{ start: "n0", end: "n1", labels: [], dashed: true }]);
  expect(drawn.leftOut).toBe(2);
});

test("a key is found in both forms, and letters that patterns know are only letters", () => {
  expect(findKeyLine('{\n  "a.b": 1}', "a.b")).toBe(2);
  expect(findKeyLine("axb: 1", "a.b")).toBe(0);
});
