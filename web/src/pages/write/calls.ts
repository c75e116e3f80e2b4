/** The requests of the writing page. */

import { api } from "../../api/client";
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

export const listStories = (): Promise<Page<StoryLine>> => api.listStories({});

export const listScenarios = (): Promise<Page<ScenarioLine>> => api.listScenarios({});

export const readStory = (story: string): Promise<StoryLine> => api.readStory({ path: { story } });

/** List the text files of a story. */
export const listFiles = (story: string): Promise<Page<Schemas["StoryFileEntry"]>> => api.listTexts({ path: { story } });

/** Read the text of a story's file, or of a scenario. */
export async function readText(kind: Kind, id: string, file: string): Promise<Fetched> {
  if (kind === "scenario") return api.readSource({ path: { scenario: id } });
  const [line, found] = await Promise.all([readStory(id), api.readText({ path: { story: id, path: file } })]);
  return { text: found.text, version: found.version, shipped: line.shipped, format: "yaml" };
}

/** Save a text, if it is still the version that was seen; returns its new version. */
export async function saveText(kind: Kind, id: string, file: string, text: string, seen: string): Promise<string> {
  const body = { text, seen };
  const saved =
    kind === "scenario"
      ? await api.keepSource({ path: { scenario: id }, body })
      : await api.keepText({ path: { story: id, path: file }, body });
  return saved.version;
}

export const checkStory = (text: string, story: string, file: string, signal: AbortSignal): Promise<CheckedStory> =>
  api.checkStory({ body: { text, story, file }, signal });

export const checkScenario = (
  text: string,
  format: Format,
  scenario: string,
  signal: AbortSignal,
): Promise<CheckedWorld> => api.checkScenario({ body: { text, format, scenario }, signal });

/** Read how words would be understood in the world that a text would be. */
export const tryWords = (
  text: string,
  format: Format,
  scenario: string,
  words: string,
): Promise<Schemas["PreviewSummary"]> => api.tryWords({ body: { text, format, scenario, words } });

/** Begin a draft of a story at a line of one of its files; line 0 is the story's beginning. */
export const playDraft = (story: string, draft: string, file: string, line: number): Promise<Moment> =>
  api.beginRun({ body: { story, draft, file, ...(line > 0 ? { at: `${file}:${line}` } : {}) } });

/** Begin a run of a scenario as it was saved. */
export const playScenario = (scenario: string): Promise<Moment> => api.beginRun({ body: { scenario } });

/** Create a story or a scenario, or a copy of one. */
export function createText(
  kind: Kind,
  { title, ...rest }: { id: string; title?: string; language?: "en" | "ja"; copy_of?: string },
): Promise<{ id: string }> {
  return kind === "story" ? api.makeStory({ body: title === undefined ? rest : { ...rest, title } }) : api.makeScenario({ body: rest });
}
