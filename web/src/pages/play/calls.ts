/** What the player asks of the server. */

import { addressOf, ask, fetched, type Answered } from "../../api/client";
import type { Moment, Page, RunLine, RunView, Schemas, StepResult } from "../../api/shapes";
import type { TurnLine } from "./retold";

/** A place to come back to. */
export type Slot = Schemas["SaveSlot"];

/** How words would be understood and judged now. */
export type Understanding = Schemas["PreviewSummary"];

/** What to begin. */
export type Beginning = { scenario?: string; story?: string; language?: string; actor?: string };

/** A change of a run that counts once: the same attempt can be sent again. */
export type Attempt = {
  path: readonly string[];
  body?: unknown;
  revision: number;
  key: string;
  /** What somebody said, for showing it. */
  words?: string;
};

/** Begin a run. */
export const begin = async (what: Beginning): Promise<Moment> => (await ask<Moment>("POST", ["runs"], { body: what })).body;

/** The newest runs, of everybody. */
export const runs = (): Promise<Page<RunLine>> => fetched(["runs"], { query: { limit: 100 } });

/** A run, looked at. */
export const viewOf = (run: string): Promise<RunView> => fetched(["runs", run]);

/** Where a run stands. */
export const momentOf = (run: string): Promise<Moment> => fetched(["runs", run, "moment"]);

/** What was shown, oldest first. */
export const backlogOf = (run: string): Promise<Page<StepResult>> => fetched(["runs", run, "backlog"]);

/** The last turns of a run, the last first: twice as many as a backlog has steps, for some are none. */
export const turnsOf = (run: string, query: { limit?: number; after?: number; actor?: string } = {}): Promise<Page<TurnLine>> =>
  fetched(["runs", run, "turns"], { query: { limit: 200, ...query } });

/** One turn, taken apart. */
export const turnOf = (run: string, turn: number): Promise<Schemas["TurnView"]> => fetched(["runs", run, "turns", turn]);

/** The rules that judge a run now. */
export const bookOf = (run: string): Promise<Schemas["RulebookView"]> => fetched(["runs", run, "rulebook"]);

/** What can be done now. */
export const actionsOf = (run: string, actor: string): Promise<Page<Schemas["PossibleActionView"]>> =>
  fetched(["runs", run, "admissible"], { query: { limit: 500, actor: actor || undefined } });

/** Who plays whom. */
export const tableOf = (run: string): Promise<Schemas["TableView"]> => fetched(["runs", run, "table"]);

/** Let agents play until a person is to act, or stand still. */
export const letTable = async (run: string, what: "go" | "pause"): Promise<Schemas["TableView"]> =>
  (await ask<Schemas["TableView"]>("POST", ["runs", run, "table", what], what === "go" ? { body: { pace: 0 } } : {})).body;

/** Make a change; `skip` answers with more than a moment. */
export async function attempt(run: string, { path, body, revision, key }: Attempt): Promise<Moment> {
  const asked = { revision, key, ...(body === undefined ? {} : { body }) };
  const answer: Answered<Moment | { moment: Moment }> = await ask("POST", ["runs", run, ...path], asked);
  return "moment" in answer.body ? answer.body.moment : answer.body;
}

/** How words would be understood; nothing happens. */
export const previewOf = async (run: string, text: string, actor = ""): Promise<Understanding> =>
  (await ask<Understanding>("POST", ["runs", run, "preview"], { body: { text, actor } })).body;

/** What might be tried next. */
export const hintOf = (run: string, actor = ""): Promise<Schemas["HintView"]> =>
  fetched(["runs", run, "hint"], { query: { actor: actor || undefined } });

/** The places of a run to come back to. */
export const savesOf = (run: string): Promise<Page<Slot>> => fetched(["runs", run, "saves"]);

/** Name the point where a run stands. */
export const save = async (run: string, name: string): Promise<Slot> =>
  (await ask<Slot>("PUT", ["runs", run, "saves", name])).body;

/** Forget such a place. */
export const removeSave = async (run: string, name: string): Promise<void> =>
  void (await ask("DELETE", ["runs", run, "saves", name]));

/** Where a picture or sound of a story lies. */
export function assetOf(story: string, path: string): string {
  return addressOf(["stories", story, "assets", ...path.split("/")]);
}

/** A story in one line. */
export type StoryLine = Schemas["StorySummary"];

/** A scenario in one line. */
export type ScenarioLine = Schemas["ScenarioSummary"];

/** The stories there are. */
export const stories = (): Promise<Page<StoryLine>> => fetched(["stories"]);

/** The scenarios there are. */
export const scenarios = (): Promise<Page<ScenarioLine>> => fetched(["scenarios"]);

/** One story. */
export const storyOf = (id: string): Promise<StoryLine> => fetched(["stories", id]);

/** What a scenario is called. */
export const scenarioOf = async (id: string): Promise<ScenarioLine> =>
  (await fetched<{ line: ScenarioLine }>(["scenarios", id])).line;

/** What to call a scenario: one without a title goes by its id, in plain letters. */
export function named({ id, name }: ScenarioLine): string {
  if (name !== id) return name;
  const plain = id.replaceAll("_", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
