/** What the gate answers, by names of its own. */

import type { Output } from "../../api/saniwa";

/** A map whose values nobody has promised anything about. */
export type Values = Record<string, unknown>;

/** A tool call about which an agent asks a person. */
export type ToolQuestion = Omit<Output<"listToolQuestions">["items"][number], "arguments"> & { arguments: Values };

/** A run in one line. */
export type RunLine = Output<"listGateRuns">["items"][number];

/** A process in one line. */
export type ProcessLine = Output<"listProcesses">["items"][number];

/** A process, looked at. */
export type ProcessView = Omit<Output<"readProcess">, "definition"> & { definition: Values | null };

/** A process to be drawn. */
export type ProcessShape = Output<"readGateRun">["process"];

/** States and the ways between them. */
export type Graph = ProcessShape["graph"];

/** Where a run stands. */
export type RunState = Omit<Output<"readGateRun">["state"], "context"> & { context: Values };

/** An event that can happen in a state. */
export type Sendable = Omit<Output<"readGateRun">["events"][number], "payload_schema"> & { payload_schema: unknown };

/** A way a run has gone. */
export type Trodden = Output<"readGateRun">["trail"][number];

/** A run, looked at. */
export type RunView = { state: RunState; events: Sendable[]; process: ProcessShape; trail: Trodden[] };

/** One piece of evidence. */
export type Piece = Omit<Output<"reviewGateRun">["evidence"][number], "content"> & { content?: unknown };

/** What a decision is made on. */
export type Review = Omit<Output<"reviewGateRun">, "context" | "evidence"> & { context: Values; evidence: Piece[] };

/** One event or note of a history. */
export type Happening = Omit<Output<"readGateHistory">["items"][number], "payload" | "variables"> & {
  payload: Values;
  variables: Values;
};

/** What reading a run again has shown. */
export type Verified = Output<"verifyGateRun">;

/** Evidence as it is handed in: exactly one of path and content. */
export type HandedIn = { type: string; path?: string; content?: unknown };

/** An event as it is sent. */
export type Sent = {
  event_name: string;
  payload?: Values;
  artifact_paths?: string[];
  artifacts?: HandedIn[];
  approval_digest?: string;
};

/** What an accepted event came to. */
export type Passed = Output<"sendGateEvent">["result"];

/** The events that only people send, and only on a review. */
export const DECISIONS: readonly string[] = ["approve", "reject", "override_guard"];

/** What a person has decided. */
export type Decision = NonNullable<Review["last_decision"]>;

/** What each decision is called once it was made. */
export const DECIDED = { approve: "approved", reject: "rejected", override_guard: "overridden" } as const;

/** The colour of each decision. */
export const TONES = { approve: "moss", reject: "plum", override_guard: "gold" } as const;

/** The event that puts a guard aside. */
export const OVERRIDE = "override_guard";
