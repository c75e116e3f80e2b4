import { expect, test } from "vitest";
import { buildLanes, listWaiting } from "./board";
import type { ProcessLine, RunLine } from "./types";

function run(id: string, more: Partial<RunLine> = {}): RunLine {
  return {
    run_id: id, process_id: "tea", current_state: "steep", is_final: false, revision: 1, missing: [], more_missing: 0,
    decisions: [], ready: false, yours: [], overdue: false, created_at: "", updated_at: "2026-01-01", problem: "", children: [], parent: null, ...more,
  };
}

const TEA: ProcessLine = { process_id: "tea", name: "Tea", description: "d", version: "1", shipped: false, problem: "" };

test("a lane has its runs, the newest first, and counts where they stand", () => {
  const lanes = buildLanes([run("a"), run("b", { current_state: "pour", updated_at: "2026-02-01" }), run("c")], [TEA]);
  expect(lanes).toHaveLength(1);
  expect(lanes[0]).toMatchObject({ name: "Tea", startable: true, standing: { steep: 2, pour: 1 } });
  expect(lanes[0]?.runs.map((each) => each.run_id)).toEqual(["b", "a", "c"]);
});

test("a process whose file is gone still has its lane, and a run that cannot be read has none", () => {
  const lanes = buildLanes([run("a", { process_id: "gone" }), run("b", { problem: "TRACE_CORRUPT" })], [TEA]);
  expect(lanes.map((each) => [each.name, each.runs.length, each.startable])).toEqual([["gone", 1, false]]);
});

test("what waits for a decision comes with one's own first, then the longest waiting", () => {
  const found = listWaiting([
    run("new", { ready: true, updated_at: "2026-03-01" }),
    run("old", { ready: true, updated_at: "2026-01-01" }),
    run("mine", { ready: true, yours: ["approve"], updated_at: "2026-02-01" }),
    run("unready", { decisions: ["approve"], missing: ["a report"] }),
    run("working"),
  ]);
  expect(found.map((each) => each.run_id)).toEqual(["mine", "old", "new"]);
});
