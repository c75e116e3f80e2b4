/** The requests of the player. */

import { api, makeAddress } from "../../api/client";
import { formatId } from "../../app/runTitle";
import type { Moment, Page, RunLine, RunView, Schemas, StepResult } from "../../api/shapes";
import type { TurnLine } from "./turnLog";

/** A place to come back to. */
export type Slot = Schemas["SaveSlot"];

/** How words would be understood and judged now. */
export type Understanding = Schemas["PreviewSummary"];

/** What to begin. */
export type Beginning = { scenario?: string; story?: string; language?: string; actor?: string };

/** A change of a run that counts once: the same change can be sent again. */
export type Change = {
  operation: "takeStep" | "choose" | "say" | "goBack" | "skip" | "loadSave";
  /** The name of the save to load. */
  save?: string;
  body?: unknown;
  revision: number;
  key: string;
  /** The words of a sentence, for showing them. */
  words?: string;
};

export const beginRun = (body: Beginning): Promise<Moment> => api.beginRun({ body });

/** List the newest runs, whoever began them. */
export const listRuns = (): Promise<Page<RunLine>> => api.listRuns({ query: { limit: 100 } });

export const readRun = (run: string): Promise<RunView> => api.readRun({ path: { run } });

export const readMoment = (run: string): Promise<Moment> => api.readMoment({ path: { run } });

/** Read what was shown, oldest first. */
export const readBacklog = (run: string): Promise<Page<StepResult>> => api.readBacklog({ path: { run } });

/** List the last turns of a run, the last first: twice as many as a backlog has steps, for some show none. */
export const listTurns = (run: string, query: { limit?: number; after?: number; actor?: string } = {}): Promise<Page<TurnLine>> =>
  api.listTurns({ path: { run }, query: { limit: 200, ...query } });

export const readTurn = (run: string, turn: number): Promise<Schemas["TurnView"]> => api.readTurn({ path: { run, turn } });

/** Read the rules that judge a run now. */
export const readBook = (run: string): Promise<Schemas["RulebookView"]> => api.readRunRulebook({ path: { run } });

/** Read who plays which character. */
export const readTable = (run: string): Promise<Schemas["TableView"]> => api.readTable({ path: { run } });

/** Let agents play until a person is to act. */
export const startAgents = (run: string): Promise<Schemas["TableView"]> => api.goTable({ path: { run }, body: { pace: 0 } });

export const pauseAgents = (run: string): Promise<Schemas["TableView"]> => api.pauseTable({ path: { run } });

/** Make a change; `skip` answers with more than a moment. */
export async function sendChange(run: string, { operation, save, body, revision, key }: Change): Promise<Moment> {
  const input = { path: save === undefined ? { run } : { run, name: save }, body, revision, key };
  const call: (input: never) => Promise<Moment | { moment: Moment }> = api[operation].bind(api);
  const answer = await call(input as never);
  return "moment" in answer ? answer.moment : answer;
}

/** Read how words would be understood; nothing happens. */
export const previewWords = (run: string, text: string, actor = ""): Promise<Understanding> =>
  api.previewWords({ path: { run }, body: { text, actor } });

/** Read what might be tried next. */
export const readHint = (run: string, actor = ""): Promise<Schemas["HintView"]> =>
  api.readHint({ path: { run }, query: { actor: actor || undefined } });

export const listSaves = (run: string): Promise<Page<Slot>> => api.listSaves({ path: { run } });

/** Save the present point of a run under a name. */
export const saveRun = (run: string, name: string): Promise<Slot> => api.save({ path: { run, name } });

export const removeSave = (run: string, name: string): Promise<void> => api.removeSave({ path: { run, name } });

/** Return what names the story that a run plays where its pictures are: the story, or the run if no library has it. */
export function getAssetOwner(run: Pick<RunLine, "id" | "story" | "file"> | undefined): string {
  return run?.story || (run?.file ? run.id : "");
}

/** Make the address of a picture or sound of a story. */
export function makeAssetAddress(story: string, path: string): string {
  return makeAddress(["stories", story, "assets", ...path.split("/")]);
}

/** A story in one line. */
export type StoryLine = Schemas["StorySummary"];

/** A scenario in one line. */
export type ScenarioLine = Schemas["ScenarioSummary"];

export const listStories = (): Promise<Page<StoryLine>> => api.listStories({});

export const listScenarios = (): Promise<Page<ScenarioLine>> => api.listScenarios({});

export const readStory = (story: string): Promise<StoryLine> => api.readStory({ path: { story } });

/** Return a scenario's title; without one, its id in plain words. */
export function getTitle({ id, name }: ScenarioLine): string {
  return name === id ? formatId(id) : name;
}
