/** Everything this page asks the server. */

import { ask, fetched, type Answered } from "../../api/client";
import type { Page, RunLine, RunView } from "../../api/shapes";
import type { MindView, Replay, Search, TableView, TurnLine, TurnView, WorldView } from "./types";

export const listRuns = (after?: string): Promise<Page<RunLine>> =>
  fetched(["runs"], { query: { limit: 30, after } });

export const readRun = (run: string): Promise<RunView> => fetched(["runs", run]);

/** A page of turns, the last first; what is not looked for is left out of the question. */
export function listTurns(run: string, search: Search, after?: string, limit = 60): Promise<Page<TurnLine>> {
  const { q, only, actor, type } = search;
  const query = { limit, after, q: q || undefined, only, actor: actor || undefined, type: type || undefined };
  return fetched(["runs", run, "turns"], { query });
}

export const readTurn = (run: string, turn: number): Promise<TurnView> => fetched(["runs", run, "turns", turn]);

export const readWorld = (run: string, turn: number): Promise<WorldView> =>
  fetched(["runs", run, "world"], { query: { turn } });

export const readMind = (run: string, who: string, turn: number): Promise<MindView> =>
  fetched(["runs", run, "minds"], { query: { who: who || undefined, turn } });

export const readTable = (run: string): Promise<TableView> => fetched(["runs", run, "table"]);

export const listAgents = async (): Promise<string[]> =>
  (await fetched<Page<{ name: string }>>(["agents"])).items.map((agent) => agent.name);

export const replay = async (run: string): Promise<Replay> => (await ask<Replay>("POST", ["runs", run, "replay"])).body;

type Changed = { run: string; revision: number };

/** Change a seat, or let one agent act, having seen a revision. */
export const changeTable = (
  run: string,
  what: "seat" | "take" | "hand-back" | "step",
  body: object,
  revision: number,
): Promise<Answered<Changed>> => ask("POST", ["runs", run, "table", what], { body, revision });

/** Let agents play by themselves, or stand still. */
export const letTable = async (run: string, what: "go" | "pause", body?: object): Promise<TableView> =>
  (await ask<TableView>("POST", ["runs", run, "table", what], body ? { body } : {})).body;

/** Say something as somebody. */
export const speakAs = (run: string, actor: string, text: string, revision: number): Promise<Answered<unknown>> =>
  ask("POST", ["runs", run, "words"], { body: { text, actor }, revision });
