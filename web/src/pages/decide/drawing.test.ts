import { expect, test } from "vitest";
import { drawProcess } from "./drawing";
import type { Graph } from "./types";

const GRAPH: Graph = {
  title: "Tea",
  nodes: [
    { id: "n0", name: "cold_water", kind: "start", line: 0 },
    { id: "n1", name: "hot", kind: "state", line: 0 },
    { id: "n2", name: "done", kind: "final", line: 0 },
  ],
  edges: [
    { start: "n0", end: "n1", kind: "event", labels: ["heat [has_fire] (agent)", "heat"] },
    { start: "n1", end: "n0", kind: "timer", labels: ["after 2h"] },
    { start: "n1", end: "n2", kind: "event", labels: ["approve (reviewer)"] },
  ],
};

test("only ways that leave the present state have words beside them", () => {
  const { lines } = drawProcess(GRAPH, { here: "hot" }, "LR");
  expect(lines.map((line) => line.words)).toEqual(["", "after 2h", "approve"]);
  expect(lines.map((line) => line.events)).toEqual(["heat", "after 2h", "approve"]);
  expect(lines.map((line) => line.timed)).toEqual([false, true, false]);
});

test("where a run has been is marked, states and ways", () => {
  const trail = [{ from_state: "cold_water", to_state: "hot", times: 1, last: 2 }];
  const { boxes, lines } = drawProcess(GRAPH, { here: "hot", trail }, "TB");
  expect(boxes.map((box) => [box.text, box.been, box.here])).toEqual([
    ["cold water", true, false],
    ["hot", true, true],
    ["done", false, false],
  ]);
  expect(lines.map((line) => line.trodden)).toEqual([true, false, false]);
});

test("a board's drawing counts runs and has no words", () => {
  const { boxes, lines } = drawProcess(GRAPH, { standing: { hot: 3 } }, "LR");
  expect(boxes.map((box) => box.count)).toEqual([0, 3, 0]);
  expect(lines.every((line) => line.words === "")).toBe(true);
});
