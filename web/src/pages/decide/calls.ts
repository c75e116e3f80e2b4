/** What the board asks of the server. */

import { addressOf, ask, fetched } from "../../api/client";
import type { Page } from "../../api/shapes";
import type { Happening, Passed, ProcessLine, ProcessView, Review, RunLine, RunState, RunView, Sent, Values, Verified } from "./types";

/** The newest runs. */
export const runs = (after = ""): Promise<Page<RunLine>> => fetched(["gate", "runs"], { query: { limit: 100, after } });

/** The processes a run can be begun of. */
export const processes = async (): Promise<ProcessLine[]> =>
  (await fetched<Page<ProcessLine>>(["processes"], { query: { limit: 100 } })).items;

/** A process, looked at. */
export const processOf = (id: string): Promise<ProcessView> => fetched(["processes", id]);

/** Begin a run. */
export const begin = async (process_id: string, variables: Values, folder: string): Promise<RunState> =>
  (await ask<RunState>("POST", ["gate", "runs"], { body: { process_id, variables, folder } })).body;

/** A run, looked at. */
export const viewOf = (run: string): Promise<RunView> => fetched(["gate", "runs", run]);

/** What a decision on a run is made on. */
export const reviewOf = (run: string): Promise<Review> => fetched(["gate", "runs", run, "review"]);

/** What happened in a run after a revision. */
export const historyOf = (run: string, after: number): Promise<Page<Happening>> =>
  fetched(["gate", "runs", run, "events"], { query: { after, limit: 200 } });

/** Send an event on the revision that was seen. */
export async function send(run: string, revision: number, sent: Sent, key?: string): Promise<Passed> {
  const asked = { body: sent, revision, ...(key === undefined ? {} : { key }) };
  return (await ask<{ result: Passed }>("POST", ["gate", "runs", run, "events"], asked)).body.result;
}

/** Let time take what is due. */
export const tick = async (run: string): Promise<void> => void (await ask("POST", ["gate", "runs", run, "tick"]));

/** Read a run again from its first byte. */
export const verify = async (run: string): Promise<Verified> =>
  (await ask<Verified>("POST", ["gate", "runs", run, "verify"])).body;

/** Where the bytes of a piece of evidence lie; its hash says which one is meant. */
export const evidenceAt = (run: string, number: number, hash: string): string =>
  addressOf(["gate", "runs", run, "evidence", number], { hash });
