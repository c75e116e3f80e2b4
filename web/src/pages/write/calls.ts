/** What the writing page asks of the server. */

import { ask, fetched } from "../../api/client";
import type { Moment, Page, Schemas } from "../../api/shapes";

/** A finding, and the letters it is about. */
export type Mark = Schemas["FindingMark"];

/** What a story's text comes to. */
export type CheckedStory = Schemas["StoryCheckResult"];

/** What a scenario's text comes to. */
export type CheckedWorld = Schemas["ScenarioCheckResult"];

/** What a text is written in. */
export type Format = "yaml" | "json";

/** What is written here. */
export type Kind = "story" | "scenario";

/** A story in one line. */
export type StoryLine = Schemas["StorySummary"];

/** A scenario in one line. */
export type ScenarioLine = Schemas["ScenarioSummary"];

/** A text that was fetched: what it says, and what stands for that. */
export type Fetched = { text: string; version: string; shipped: boolean; format: Format };

export const stories = (): Promise<Page<StoryLine>> => fetched(["stories"]);

export const scenarios = (): Promise<Page<ScenarioLine>> => fetched(["scenarios"]);

export const storyOf = (id: string): Promise<StoryLine> => fetched(["stories", id]);

/** The texts of a story. */
export const filesOf = (story: string): Promise<Page<Schemas["StoryFileEntry"]>> => fetched(["stories", story, "files"]);

/** The text of a story's file, or of a scenario. */
export async function textOf(kind: Kind, id: string, file: string): Promise<Fetched> {
  if (kind === "scenario") return fetched<Fetched>(["scenarios", id, "source"]);
  const [line, found] = await Promise.all([
    storyOf(id),
    fetched<Schemas["StoryTextFile"]>(["stories", id, "files", ...file.split("/")]),
  ]);
  return { text: found.text, version: found.version, shipped: line.shipped, format: "yaml" };
}

/** Keep a text; what stands for it then. */
export async function keepText(kind: Kind, id: string, file: string, text: string, seen: string): Promise<string> {
  const path = kind === "scenario" ? ["scenarios", id, "source"] : ["stories", id, "files", ...file.split("/")];
  return (await ask<{ version: string }>("PUT", path, { body: { text, seen } })).body.version;
}

/** Check a story's text. */
export const checkStory = async (text: string, story: string, file: string, signal: AbortSignal): Promise<CheckedStory> =>
  (await ask<CheckedStory>("POST", ["check", "story"], { body: { text, story, file }, signal })).body;

/** Check a scenario's text. */
export const checkScenario = async (
  text: string,
  format: Format,
  scenario: string,
  signal: AbortSignal,
): Promise<CheckedWorld> =>
  (await ask<CheckedWorld>("POST", ["check", "scenario"], { body: { text, format, scenario }, signal })).body;

/** How words would be understood in the world a text would be. */
export const tryWords = async (
  text: string,
  format: Format,
  scenario: string,
  words: string,
): Promise<Schemas["PreviewSummary"]> =>
  (await ask<Schemas["PreviewSummary"]>("POST", ["check", "scenario", "words"], { body: { text, format, scenario, words } }))
    .body;

/** Begin a draft of a story at a line of one of its files. */
export const playDraft = async (story: string, draft: string, file: string, line: number): Promise<Moment> =>
  (await ask<Moment>("POST", ["runs"], { body: { story, draft, file, at: `${file}:${line}` } })).body;

/** Begin a run of a scenario as it was kept. */
export const playScenario = async (scenario: string): Promise<Moment> =>
  (await ask<Moment>("POST", ["runs"], { body: { scenario } })).body;

/** Make a story or a scenario, or a copy of one. */
export async function make(
  kind: Kind,
  what: { id: string; title?: string; language?: string; copy_of?: string },
): Promise<{ id: string }> {
  const path = kind === "story" ? ["stories"] : ["scenarios"];
  const { title, ...rest } = what;
  const body = kind === "story" ? { ...rest, title } : rest;
  return (await ask<{ id: string }>("POST", path, { body })).body;
}
