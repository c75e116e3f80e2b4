/** The requests of the board. */

import { api, makeAddress } from "../../api/client";
import type { Page } from "../../api/shapes";
import type { Happening, Passed, ProcessLine, ProcessView, Review, RunLine, RunState, RunView, Sent, ToolQuestion, Values, Verified } from "./types";

/** List the newest runs. */
export const listRuns = (after = ""): Promise<Page<RunLine>> => api.listGateRuns({ query: { limit: 100, after } });

/** List the tool calls that wait for a person. */
export const listToolQuestions = async (): Promise<ToolQuestion[]> => (await api.listToolQuestions({})).items;

/** Answer an agent's question about a tool call. */
export const answerToolQuestion = async (question: string, answer: "run" | "skip", reason: string): Promise<void> =>
  void (await api.answerToolQuestion({ path: { question }, body: { answer, reason } }));

/** List the processes of which a run can be begun. */
export const listProcesses = async (): Promise<ProcessLine[]> => (await api.listProcesses({ query: { limit: 100 } })).items;

export const readProcess = (id: string): Promise<ProcessView> => api.readProcess({ path: { process: id } });

export const beginRun = (process_id: string, variables: Values, folder: string): Promise<RunState> =>
  api.beginGateRun({ body: { process_id, variables, folder } });

export const readRun = (run: string): Promise<RunView> => api.readGateRun({ path: { run } });

/** Read what a decision on a run is made on. */
export const readReview = (run: string): Promise<Review> => api.reviewGateRun({ path: { run } });

/** List the events of a run after a revision. */
export const listHistory = (run: string, after: number): Promise<Page<Happening>> =>
  api.readGateHistory({ path: { run }, query: { after, limit: 200 } });

/** Send an event on the revision that was seen. */
export async function sendEvent(run: string, revision: number, body: Sent, key?: string): Promise<Passed> {
  const change = key === undefined ? { revision } : { revision, key };
  return (await api.sendGateEvent({ path: { run }, body, ...change })).result;
}

/** Let events happen whose time has come. */
export const tickRun = async (run: string): Promise<void> => void (await api.tickGateRun({ path: { run } }));

/** Read a run again from its first byte; with `rerun`, run the gate's checks again too. */
export const verifyRun = (run: string, rerun: boolean): Promise<Verified> =>
  api.verifyGateRun({ path: { run }, query: { rerun } });

/** Make the address of a piece of evidence; its hash says which one is meant. */
export const makeEvidenceAddress = (run: string, number: number, hash: string): string =>
  makeAddress(["gate", "runs", run, "evidence", number], { hash });
