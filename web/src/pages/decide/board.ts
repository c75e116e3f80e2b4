/** How the board is put together: lanes of processes, and what waits for somebody. */

import type { ProcessLine, RunLine } from "./types";

/** The runs of one process, and how many stand in each state. */
export type Lane = { id: string; name: string; description: string; startable: boolean; runs: RunLine[]; standing: Record<string, number> };

/** A lane for each process that has runs, the one with the newest event first. */
export function buildLanes(runs: readonly RunLine[], processes: readonly ProcessLine[]): Lane[] {
  const known = new Map(processes.map((each) => [each.process_id, each]));
  const lanes = new Map<string, Lane>();
  for (const run of runs.filter((each) => !each.problem).toSorted(newest)) {
    const line = known.get(run.process_id);
    const lane = lanes.get(run.process_id) ?? {
      id: run.process_id,
      name: line?.name ?? run.process_id,
      description: line?.description ?? "",
      startable: line !== undefined && !line.problem,
      runs: [],
      standing: {},
    };
    lane.runs.push(run);
    lane.standing[run.current_state] = (lane.standing[run.current_state] ?? 0) + 1;
    lanes.set(run.process_id, lane);
  }
  return [...lanes.values()];
}

/** The runs that wait for a person's word: those whoever is here may decide first, the oldest first. */
export function listWaiting(runs: readonly RunLine[]): RunLine[] {
  const open = runs.filter((run) => run.ready);
  return open.toSorted((a, b) => b.yours.length - a.yours.length || a.updated_at.localeCompare(b.updated_at));
}

function newest(a: RunLine, b: RunLine): number {
  return b.updated_at.localeCompare(a.updated_at);
}
