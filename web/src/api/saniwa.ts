/**
 * A client of Saniwa's HTTP API, generated from its OpenAPI document: one method per operation.
 * Do not edit; `make client` writes it again.
 */

import type { operations } from "./schema";

type Field<Part, Name extends string> = Part extends { [N in Name]: infer Value } ? Value : never;
type Parameters<Op> = Field<Op, "parameters">;
type Body<Op> = Op extends { requestBody: { content: { "application/json": infer Value } } }
  ? { body: Value }
  : Op extends { requestBody?: { content: { "application/json": infer Value } } }
    ? { body?: Value }
    : unknown;
type Path<Op> = [NonNullable<Field<Parameters<Op>, "path">>] extends [never]
  ? unknown
  : { path: { [Name in keyof Field<Parameters<Op>, "path">]: string | number } };
type Optional<Value> = { [Name in keyof Value]: Value[Name] | undefined };
type Query<Op> = Parameters<Op> extends { query?: infer Value } ? { query?: Optional<Value> } : unknown;
type Change<Op> = Parameters<Op> extends { header: { "If-Match": string } }
  ? { revision: number; key?: string; signal?: AbortSignal }
  : { key?: string; signal?: AbortSignal };

/** The input of an operation. */
export type Input<Name extends keyof operations> = Path<operations[Name]> &
  Query<operations[Name]> &
  Body<operations[Name]> &
  Change<operations[Name]>;

type Success = 200 | 201 | 204;
type Content<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All & Success]: All[Status] extends { content: { "application/json": infer Value } } ? Value : void }[keyof All & Success]
  : never;

/** The output of an operation. */
export type Output<Name extends keyof operations> = Content<operations[Name]>;

/** An error document of the server (`application/problem+json`). */
export type ProblemDocument = {
  title?: string;
  detail?: string;
  code?: string;
  where?: string;
  hint?: string;
  recoverable?: boolean;
  details?: Record<string, unknown>;
};

/** A request that failed: `code` names the kind, `message` the fact, `hint` the cure. */
export class Problem extends Error {
  readonly code: string;
  readonly hint: string;
  readonly where: string;
  readonly recoverable: boolean;
  readonly details: Record<string, unknown>;

  constructor(
    readonly status: number,
    document: ProblemDocument,
  ) {
    super(document.detail || document.title || `HTTP ${status}`);
    this.name = "Problem";
    this.code = document.code ?? "";
    this.hint = document.hint ?? "";
    this.where = document.where ?? "";
    this.recoverable = document.recoverable ?? false;
    this.details = document.details ?? {};
  }
}

/** Sends one request. Retries and further headers have their place here. */
export type Send = (address: string, request: RequestInit & { headers: Headers }) => Promise<Response>;

/** How to reach a server. */
export type ClientOptions = {
  /** `NAME:SECRET`, if the server asks for a credential. */
  credential?: string;
  /** Sends requests; by default `fetch`, once. */
  send?: Send;
};

type Request = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  revision?: number;
  key?: string;
  signal?: AbortSignal;
};

/** Read an error document; a body that is none counts as empty. */
export async function readProblem(response: Response): Promise<Problem> {
  const document: unknown = await response.json().catch(() => null);
  const isDocument = typeof document === "object" && document !== null;
  return new Problem(response.status, isDocument ? document : { title: response.statusText });
}

/** A server's operations. A request that fails throws a `Problem`. */
export class Saniwa {
  private readonly credential: string;
  private readonly send: Send;

  constructor(
    readonly address: string,
    options: ClientOptions = {},
  ) {
    this.credential = options.credential ?? "";
    this.send = options.send ?? ((address, request) => fetch(address, request));
  }

  private async request<T>(method: string, path: string, input: Request): Promise<T> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(String(input.path?.[name]));
      // The path of a file inside a story keeps its folders.
      return name === "path" ? value.replaceAll("%2F", "/") : value;
    });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers = new Headers({ accept: "application/json" });
    if (input.body !== undefined) headers.set("content-type", "application/json");
    if (input.revision !== undefined) headers.set("if-match", `"${input.revision}"`);
    if (input.key !== undefined) headers.set("idempotency-key", input.key);
    if (this.credential) headers.set("authorization", `Bearer ${this.credential}`);
    const response = await this.send(`${this.address}${filled}${query.size > 0 ? `?${query}` : ""}`, {
      method,
      headers,
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: input.signal ?? null,
    });
    if (!response.ok) throw await readProblem(response);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  /** Describe the server and the caller. */
  readAbout(input: Input<"readAbout">): Promise<Output<"readAbout">> {
    return this.request("GET", "/api/v1/", input as Request);
  }

  /** List the agents that can play characters. */
  listAgents(input: Input<"listAgents">): Promise<Output<"listAgents">> {
    return this.request("GET", "/api/v1/agents", input as Request);
  }

  /** List the journals of the project's agents, newest first. */
  listAgentJournals(input: Input<"listAgentJournals">): Promise<Output<"listAgentJournals">> {
    return this.request("GET", "/api/v1/agents/journals", input as Request);
  }

  /** Read an agent's journal: prompts, answers, tool calls, rulings, totals. */
  readAgentJournal(input: Input<"readAgentJournal">): Promise<Output<"readAgentJournal">> {
    return this.request("GET", "/api/v1/agents/journals/{journal}", input as Request);
  }

  /** List the tool calls that wait for a person's decision. */
  listToolQuestions(input: Input<"listToolQuestions">): Promise<Output<"listToolQuestions">> {
    return this.request("GET", "/api/v1/agents/questions", input as Request);
  }

  /** Decide about a waiting tool call; only for people who signed in. */
  answerToolQuestion(input: Input<"answerToolQuestion">): Promise<Output<"answerToolQuestion">> {
    return this.request("POST", "/api/v1/agents/questions/{question}", input as Request);
  }

  /** Check a rulebook; nothing is saved. */
  checkRulebook(input: Input<"checkRulebook">): Promise<Output<"checkRulebook">> {
    return this.request("POST", "/api/v1/check/rulebook", input as Request);
  }

  /** Check a scenario's text: findings, and the world as a map. */
  checkScenario(input: Input<"checkScenario">): Promise<Output<"checkScenario">> {
    return this.request("POST", "/api/v1/check/scenario", input as Request);
  }

  /** Show how words would be understood in the world of an unsaved scenario. */
  tryWords(input: Input<"tryWords">): Promise<Output<"tryWords">> {
    return this.request("POST", "/api/v1/check/scenario/words", input as Request);
  }

  /** Check a story's text: findings, outline, graph and length. */
  checkStory(input: Input<"checkStory">): Promise<Output<"checkStory">> {
    return this.request("POST", "/api/v1/check/story", input as Request);
  }

  /** List experiments, newest first. */
  listExperiments(input: Input<"listExperiments">): Promise<Output<"listExperiments">> {
    return this.request("GET", "/api/v1/experiments", input as Request);
  }

  /** Get an experiment: its plan and its progress. */
  readExperiment(input: Input<"readExperiment">): Promise<Output<"readExperiment">> {
    return this.request("GET", "/api/v1/experiments/{experiment}", input as Request);
  }

  /** List the runs of an experiment, in the plan's order. */
  listCells(input: Input<"listCells">): Promise<Output<"listCells">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells", input as Request);
  }

  /** Get a run of an experiment, by number or key, turn by turn. */
  readCell(input: Input<"readCell">): Promise<Output<"readCell">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells/{cell}", input as Request);
  }

  /** Get a turn of a run, with the prompts. */
  readTold(input: Input<"readTold">): Promise<Output<"readTold">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells/{cell}/turns/{turn}", input as Request);
  }

  /** Compare two experiments: setup, and which figures improved or worsened. */
  compareExperiments(input: Input<"compareExperiments">): Promise<Output<"compareExperiments">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/compare/{other}", input as Request);
  }

  /** Get an experiment's figures: conditions, tests, gates and the data of plots. */
  readMeasures(input: Input<"readMeasures">): Promise<Output<"readMeasures">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/measures", input as Request);
  }

  /** Get the report of an experiment as data: headings, text, tables, turns. */
  readReport(input: Input<"readReport">): Promise<Output<"readReport">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/report", input as Request);
  }

  /** List the turns that a figure counts, in the plan's order. */
  listTurnsBehind(input: Input<"listTurnsBehind">): Promise<Output<"listTurnsBehind">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/turns", input as Request);
  }

  /** List the runs of processes, newest first. */
  listGateRuns(input: Input<"listGateRuns">): Promise<Output<"listGateRuns">> {
    return this.request("GET", "/api/v1/gate/runs", input as Request);
  }

  /** Start a run of a process. */
  beginGateRun(input: Input<"beginGateRun">): Promise<Output<"beginGateRun">> {
    return this.request("POST", "/api/v1/gate/runs", input as Request);
  }

  /** Get a run's state, what is missing, and the possible events. */
  readGateRun(input: Input<"readGateRun">): Promise<Output<"readGateRun">> {
    return this.request("GET", "/api/v1/gate/runs/{run}", input as Request);
  }

  /** List the events of a run, oldest first. */
  readGateHistory(input: Input<"readGateHistory">): Promise<Output<"readGateHistory">> {
    return this.request("GET", "/api/v1/gate/runs/{run}/events", input as Request);
  }

  /** Send an event with its evidence, or a decision. */
  sendGateEvent(input: Input<"sendGateEvent">): Promise<Output<"sendGateEvent">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/events", input as Request);
  }

  /** Get the evidence for a decision, and the digest that the decision must include. */
  reviewGateRun(input: Input<"reviewGateRun">): Promise<Output<"reviewGateRun">> {
    return this.request("GET", "/api/v1/gate/runs/{run}/review", input as Request);
  }

  /** Take the timed transitions that are due. */
  tickGateRun(input: Input<"tickGateRun">): Promise<Output<"tickGateRun">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/tick", input as Request);
  }

  /** Verify the complete log of a run and report every inconsistency. */
  verifyGateRun(input: Input<"verifyGateRun">): Promise<Output<"verifyGateRun">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/verify", input as Request);
  }

  /** List the processes. */
  listProcesses(input: Input<"listProcesses">): Promise<Output<"listProcesses">> {
    return this.request("GET", "/api/v1/processes", input as Request);
  }

  /** Get a process: its graph, its definition, its findings. */
  readProcess(input: Input<"readProcess">): Promise<Output<"readProcess">> {
    return this.request("GET", "/api/v1/processes/{process}", input as Request);
  }

  /** List the rulebooks: those included with Saniwa and your own. */
  listRulebooks(input: Input<"listRulebooks">): Promise<Output<"listRulebooks">> {
    return this.request("GET", "/api/v1/rulebooks", input as Request);
  }

  /** Create a rulebook; it may have errors. */
  makeRulebook(input: Input<"makeRulebook">): Promise<Output<"makeRulebook">> {
    return this.request("POST", "/api/v1/rulebooks", input as Request);
  }

  /** Delete your own rulebook; runs started with it keep its rules. */
  removeRulebook(input: Input<"removeRulebook">): Promise<Output<"removeRulebook">> {
    return this.request("DELETE", "/api/v1/rulebooks/{name}", input as Request);
  }

  /** Get a rulebook, with those it extends. */
  readRulebook(input: Input<"readRulebook">): Promise<Output<"readRulebook">> {
    return this.request("GET", "/api/v1/rulebooks/{name}", input as Request);
  }

  /** Get the source text of a rulebook. */
  readRulebookSource(input: Input<"readRulebookSource">): Promise<Output<"readRulebookSource">> {
    return this.request("GET", "/api/v1/rulebooks/{name}/source", input as Request);
  }

  /** Save the source text of a rulebook, unless it was changed in the meantime. */
  keepRulebookSource(input: Input<"keepRulebookSource">): Promise<Output<"keepRulebookSource">> {
    return this.request("PUT", "/api/v1/rulebooks/{name}/source", input as Request);
  }

  /** List runs, newest first. */
  listRuns(input: Input<"listRuns">): Promise<Output<"listRuns">> {
    return this.request("GET", "/api/v1/runs", input as Request);
  }

  /** Start a run of a scenario, a story or a draft. */
  beginRun(input: Input<"beginRun">): Promise<Output<"beginRun">> {
    return this.request("POST", "/api/v1/runs", input as Request);
  }

  /** Get a run. */
  readRun(input: Input<"readRun">): Promise<Output<"readRun">> {
    return this.request("GET", "/api/v1/runs/{run}", input as Request);
  }

  /** List the actions a character can take now. */
  listAdmissible(input: Input<"listAdmissible">): Promise<Output<"listAdmissible">> {
    return this.request("GET", "/api/v1/runs/{run}/admissible", input as Request);
  }

  /** Undo one or more steps, in the story and in its world. */
  goBack(input: Input<"goBack">): Promise<Output<"goBack">> {
    return this.request("POST", "/api/v1/runs/{run}/back", input as Request);
  }

  /** List the steps shown so far, oldest first, as far as they are stored. */
  readBacklog(input: Input<"readBacklog">): Promise<Output<"readBacklog">> {
    return this.request("GET", "/api/v1/runs/{run}/backlog", input as Request);
  }

  /** Choose an option and continue. */
  choose(input: Input<"choose">): Promise<Output<"choose">> {
    return this.request("POST", "/api/v1/runs/{run}/choices", input as Request);
  }

  /** Suggest what a character could try next. */
  readHint(input: Input<"readHint">): Promise<Output<"readHint">> {
    return this.request("GET", "/api/v1/runs/{run}/hint", input as Request);
  }

  /** Get what a character believes and the facts, now or after any turn. */
  readMind(input: Input<"readMind">): Promise<Output<"readMind">> {
    return this.request("GET", "/api/v1/runs/{run}/minds", input as Request);
  }

  /** Get the current step of a run: what to show, and what input it waits for. */
  readMoment(input: Input<"readMoment">): Promise<Output<"readMoment">> {
    return this.request("GET", "/api/v1/runs/{run}/moment", input as Request);
  }

  /** Preview how words would be understood and judged; nothing happens. */
  previewWords(input: Input<"previewWords">): Promise<Output<"previewWords">> {
    return this.request("POST", "/api/v1/runs/{run}/preview", input as Request);
  }

  /** Replay every turn, and report the first difference. */
  replayRun(input: Input<"replayRun">): Promise<Output<"replayRun">> {
    return this.request("POST", "/api/v1/runs/{run}/replay", input as Request);
  }

  /** Get the rulebook of a run, layer by layer. */
  readRunRulebook(input: Input<"readRunRulebook">): Promise<Output<"readRunRulebook">> {
    return this.request("GET", "/api/v1/runs/{run}/rulebook", input as Request);
  }

  /** Add a layer to a run's rulebook; recorded as a turn. */
  editRunRulebook(input: Input<"editRunRulebook">): Promise<Output<"editRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook", input as Request);
  }

  /** Check a layer for a run's rulebook. */
  checkRunRulebook(input: Input<"checkRunRulebook">): Promise<Output<"checkRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook/check", input as Request);
  }

  /** Compare the actions possible now under a run's rulebook and under an edited one. */
  tryRunRulebook(input: Input<"tryRunRulebook">): Promise<Output<"tryRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook/try", input as Request);
  }

  /** List the saves of a run. */
  listSaves(input: Input<"listSaves">): Promise<Output<"listSaves">> {
    return this.request("GET", "/api/v1/runs/{run}/saves", input as Request);
  }

  /** Delete a save. */
  removeSave(input: Input<"removeSave">): Promise<Output<"removeSave">> {
    return this.request("DELETE", "/api/v1/runs/{run}/saves/{name}", input as Request);
  }

  /** Save the current position of a run. */
  save(input: Input<"save">): Promise<Output<"save">> {
    return this.request("PUT", "/api/v1/runs/{run}/saves/{name}", input as Request);
  }

  /** Load a save. */
  loadSave(input: Input<"loadSave">): Promise<Output<"loadSave">> {
    return this.request("POST", "/api/v1/runs/{run}/saves/{name}/load", input as Request);
  }

  /** Skip what was seen before, up to the first new line or choice. */
  skip(input: Input<"skip">): Promise<Output<"skip">> {
    return this.request("POST", "/api/v1/runs/{run}/skip", input as Request);
  }

  /** Continue to the next step. */
  takeStep(input: Input<"takeStep">): Promise<Output<"takeStep">> {
    return this.request("POST", "/api/v1/runs/{run}/steps", input as Request);
  }

  /** Get who plays each character, and whether agents play automatically. */
  readTable(input: Input<"readTable">): Promise<Output<"readTable">> {
    return this.request("GET", "/api/v1/runs/{run}/table", input as Request);
  }

  /** Let agents play automatically until it is a person's turn. */
  goTable(input: Input<"goTable">): Promise<Output<"goTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/go", input as Request);
  }

  /** Give a character back to the agent that played it. */
  handSeatBack(input: Input<"handSeatBack">): Promise<Output<"handSeatBack">> {
    return this.request("POST", "/api/v1/runs/{run}/table/hand-back", input as Request);
  }

  /** Pause agents after the current turn. */
  pauseTable(input: Input<"pauseTable">): Promise<Output<"pauseTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/pause", input as Request);
  }

  /** Assign agents to characters. */
  seatAgents(input: Input<"seatAgents">): Promise<Output<"seatAgents">> {
    return this.request("POST", "/api/v1/runs/{run}/table/seat", input as Request);
  }

  /** Let the next agent take one turn. */
  stepTable(input: Input<"stepTable">): Promise<Output<"stepTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/step", input as Request);
  }

  /** Take over a character from an agent. */
  takeSeat(input: Input<"takeSeat">): Promise<Output<"takeSeat">> {
    return this.request("POST", "/api/v1/runs/{run}/table/take", input as Request);
  }

  /** List or search the turns of a run, newest first. */
  listTurns(input: Input<"listTurns">): Promise<Output<"listTurns">> {
    return this.request("GET", "/api/v1/runs/{run}/turns", input as Request);
  }

  /** Get a turn in detail: words, claims, verdicts with their rules, changes. */
  readTurn(input: Input<"readTurn">): Promise<Output<"readTurn">> {
    return this.request("GET", "/api/v1/runs/{run}/turns/{turn}", input as Request);
  }

  /** Say or do something in free text and continue, or use a command such as undo. */
  say(input: Input<"say">): Promise<Output<"say">> {
    return this.request("POST", "/api/v1/runs/{run}/words", input as Request);
  }

  /** Get the world as a map, now or after any turn. */
  readWorld(input: Input<"readWorld">): Promise<Output<"readWorld">> {
    return this.request("GET", "/api/v1/runs/{run}/world", input as Request);
  }

  /** List the scenarios. */
  listScenarios(input: Input<"listScenarios">): Promise<Output<"listScenarios">> {
    return this.request("GET", "/api/v1/scenarios", input as Request);
  }

  /** Create a scenario, from a template or as a copy. */
  makeScenario(input: Input<"makeScenario">): Promise<Output<"makeScenario">> {
    return this.request("POST", "/api/v1/scenarios", input as Request);
  }

  /** Get a scenario. */
  readScenario(input: Input<"readScenario">): Promise<Output<"readScenario">> {
    return this.request("GET", "/api/v1/scenarios/{scenario}", input as Request);
  }

  /** Get the source text of a scenario. */
  readSource(input: Input<"readSource">): Promise<Output<"readSource">> {
    return this.request("GET", "/api/v1/scenarios/{scenario}/source", input as Request);
  }

  /** Save the source text of a scenario, unless it was changed in the meantime. */
  keepSource(input: Input<"keepSource">): Promise<Output<"keepSource">> {
    return this.request("PUT", "/api/v1/scenarios/{scenario}/source", input as Request);
  }

  /** Change the caller's secret; ends all other sessions. */
  changeSecret(input: Input<"changeSecret">): Promise<Output<"changeSecret">> {
    return this.request("POST", "/api/v1/secret", input as Request);
  }

  /** Sign in with name and secret; sets a session cookie. */
  signIn(input: Input<"signIn">): Promise<Output<"signIn">> {
    return this.request("POST", "/api/v1/sign-in", input as Request);
  }

  /** Sign out. */
  signOut(input: Input<"signOut">): Promise<Output<"signOut">> {
    return this.request("POST", "/api/v1/sign-out", input as Request);
  }

  /** Sign out everywhere: end all sessions of the caller. */
  signOutEverywhere(input: Input<"signOutEverywhere">): Promise<Output<"signOutEverywhere">> {
    return this.request("POST", "/api/v1/sign-out/everywhere", input as Request);
  }

  /** List the stories. */
  listStories(input: Input<"listStories">): Promise<Output<"listStories">> {
    return this.request("GET", "/api/v1/stories", input as Request);
  }

  /** Create a story, from a template or as a copy. */
  makeStory(input: Input<"makeStory">): Promise<Output<"makeStory">> {
    return this.request("POST", "/api/v1/stories", input as Request);
  }

  /** Get a story. */
  readStory(input: Input<"readStory">): Promise<Output<"readStory">> {
    return this.request("GET", "/api/v1/stories/{story}", input as Request);
  }

  /** List the files of a story. */
  listTexts(input: Input<"listTexts">): Promise<Output<"listTexts">> {
    return this.request("GET", "/api/v1/stories/{story}/files", input as Request);
  }

  /** Get the text of a story's file. */
  readText(input: Input<"readText">): Promise<Output<"readText">> {
    return this.request("GET", "/api/v1/stories/{story}/files/{path}", input as Request);
  }

  /** Save the text of a story's file, unless it was changed in the meantime. */
  keepText(input: Input<"keepText">): Promise<Output<"keepText">> {
    return this.request("PUT", "/api/v1/stories/{story}/files/{path}", input as Request);
  }
}
