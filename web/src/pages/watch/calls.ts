/** The requests of this page. */

import { api, toCursor } from "../../api/client";
import type { Page, RunLine, RunView } from "../../api/shapes";
import type { MindView, Replay, Search, TableView, TurnLine, TurnView, WorldView } from "./types";

export const listRuns = (after?: string): Promise<Page<RunLine>> => api.listRuns({ query: { limit: 30, after } });

export const readRun = (run: string): Promise<RunView> => api.readRun({ path: { run } });

/** List turns, the last first; an empty field of the search is left out. */
export function listTurns(run: string, search: Search, after?: string, limit = 60): Promise<Page<TurnLine>> {
  const { q, only, actor, type } = search;
  const query = { limit, after: toCursor(after), q: q || undefined, only, actor: actor || undefined, type: type || undefined };
  return api.listTurns({ path: { run }, query });
}

export const readTurn = (run: string, turn: number): Promise<TurnView> => api.readTurn({ path: { run, turn } });

export const readWorld = (run: string, turn: number): Promise<WorldView> => api.readWorld({ path: { run }, query: { turn } });

export const readMind = (run: string, who: string, turn: number): Promise<MindView> =>
  api.readMind({ path: { run }, query: { who: who || undefined, turn } });

export const readTable = (run: string): Promise<TableView> => api.readTable({ path: { run } });

export const listAgents = async (): Promise<string[]> => (await api.listAgents({})).items.map((agent) => agent.name);

export const replayRun = (run: string): Promise<Replay> => api.replayRun({ path: { run } });

const TABLE_CHANGES = { seat: "seatAgents", take: "takeSeat", "hand-back": "handSeatBack", step: "stepTable" } as const;

/** Change a seat, or let one agent act, on the revision that was seen. */
export function changeTable(run: string, what: keyof typeof TABLE_CHANGES, body: object, revision: number): Promise<unknown> {
  const change: (input: never) => Promise<unknown> = api[TABLE_CHANGES[what]].bind(api);
  return change({ path: { run }, body, revision } as never);
}

/** Let agents play by themselves. */
export const startAgents = (run: string, body: { pace: number; model: string }): Promise<TableView> =>
  api.goTable({ path: { run }, body });

export const pauseAgents = (run: string): Promise<TableView> => api.pauseTable({ path: { run } });

/** Say something as one of the characters. */
export const speakAs = (run: string, actor: string, text: string, revision: number): Promise<unknown> =>
  api.say({ path: { run }, body: { text, actor }, revision });
