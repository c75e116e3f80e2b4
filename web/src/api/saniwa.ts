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

  /** What answers here, and to whom. */
  readAbout(input: Input<"readAbout">): Promise<Output<"readAbout">> {
    return this.request("GET", "/api/v1/", input as Request);
  }

  /** List the agents that can be seated at a table. */
  listAgents(input: Input<"listAgents">): Promise<Output<"listAgents">> {
    return this.request("GET", "/api/v1/agents", input as Request);
  }

  /** List the journals of the project's agents, the newest first. */
  listAgentJournals(input: Input<"listAgentJournals">): Promise<Output<"listAgentJournals">> {
    return this.request("GET", "/api/v1/agents/journals", input as Request);
  }

  /** Read an agent's journal: prompts, answers, tool calls, rulings, totals. */
  readAgentJournal(input: Input<"readAgentJournal">): Promise<Output<"readAgentJournal">> {
    return this.request("GET", "/api/v1/agents/journals/{journal}", input as Request);
  }

  /** List the tool calls about which agents ask a person. */
  listToolQuestions(input: Input<"listToolQuestions">): Promise<Output<"listToolQuestions">> {
    return this.request("GET", "/api/v1/agents/questions", input as Request);
  }

  /** Answer an agent's question about a tool call; only a person who signed in may. */
  answerToolQuestion(input: Input<"answerToolQuestion">): Promise<Output<"answerToolQuestion">> {
    return this.request("POST", "/api/v1/agents/questions/{question}", input as Request);
  }

  /** Say everything that is wrong with a rulebook; nothing is kept. */
  checkRulebook(input: Input<"checkRulebook">): Promise<Output<"checkRulebook">> {
    return this.request("POST", "/api/v1/check/rulebook", input as Request);
  }

  /** Check a scenario's text: findings, and the world as a map. */
  checkScenario(input: Input<"checkScenario">): Promise<Output<"checkScenario">> {
    return this.request("POST", "/api/v1/check/scenario", input as Request);
  }

  /** How words would be understood in the world that a text would be. */
  tryWords(input: Input<"tryWords">): Promise<Output<"tryWords">> {
    return this.request("POST", "/api/v1/check/scenario/words", input as Request);
  }

  /** Check a story's text: findings, outline, graph and length. */
  checkStory(input: Input<"checkStory">): Promise<Output<"checkStory">> {
    return this.request("POST", "/api/v1/check/story", input as Request);
  }

  /** List experiments, the newest first. */
  listExperiments(input: Input<"listExperiments">): Promise<Output<"listExperiments">> {
    return this.request("GET", "/api/v1/experiments", input as Request);
  }

  /** Look at an experiment: its plan, and how far it has come. */
  readExperiment(input: Input<"readExperiment">): Promise<Output<"readExperiment">> {
    return this.request("GET", "/api/v1/experiments/{experiment}", input as Request);
  }

  /** List the runs of an experiment, in the plan's order. */
  listCells(input: Input<"listCells">): Promise<Output<"listCells">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells", input as Request);
  }

  /** Look at a run, by its number or its key, turn by turn. */
  readCell(input: Input<"readCell">): Promise<Output<"readCell">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells/{cell}", input as Request);
  }

  /** Look at a turn of a run, with what the model was told. */
  readTold(input: Input<"readTold">): Promise<Output<"readTold">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/cells/{cell}/turns/{turn}", input as Request);
  }

  /** Compare two experiments: what differs, what got better or worse. */
  compareExperiments(input: Input<"compareExperiments">): Promise<Output<"compareExperiments">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/compare/{other}", input as Request);
  }

  /** An experiment in numbers: conditions, tests, gates, and plots as figures. */
  readMeasures(input: Input<"readMeasures">): Promise<Output<"readMeasures">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/measures", input as Request);
  }

  /** The report of an experiment as data: headings, words, tables, turns. */
  readReport(input: Input<"readReport">): Promise<Output<"readReport">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/report", input as Request);
  }

  /** List the turns behind a number, in the plan's order. */
  listTurnsBehind(input: Input<"listTurnsBehind">): Promise<Output<"listTurnsBehind">> {
    return this.request("GET", "/api/v1/experiments/{experiment}/turns", input as Request);
  }

  /** List runs of processes, the newest first. */
  listGateRuns(input: Input<"listGateRuns">): Promise<Output<"listGateRuns">> {
    return this.request("GET", "/api/v1/gate/runs", input as Request);
  }

  /** Begin a run of a process. */
  beginGateRun(input: Input<"beginGateRun">): Promise<Output<"beginGateRun">> {
    return this.request("POST", "/api/v1/gate/runs", input as Request);
  }

  /** Where a run stands, what is missing, and what could happen. */
  readGateRun(input: Input<"readGateRun">): Promise<Output<"readGateRun">> {
    return this.request("GET", "/api/v1/gate/runs/{run}", input as Request);
  }

  /** What happened in a run, the oldest first. */
  readGateHistory(input: Input<"readGateHistory">): Promise<Output<"readGateHistory">> {
    return this.request("GET", "/api/v1/gate/runs/{run}/events", input as Request);
  }

  /** Send an event with its evidence, or a decision. */
  sendGateEvent(input: Input<"sendGateEvent">): Promise<Output<"sendGateEvent">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/events", input as Request);
  }

  /** What a decision is made on, and the digest that binds it. */
  reviewGateRun(input: Input<"reviewGateRun">): Promise<Output<"reviewGateRun">> {
    return this.request("GET", "/api/v1/gate/runs/{run}/review", input as Request);
  }

  /** Take the ways of a run whose time has come. */
  tickGateRun(input: Input<"tickGateRun">): Promise<Output<"tickGateRun">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/tick", input as Request);
  }

  /** Read a run again from its first byte, and tell what is not as it was. */
  verifyGateRun(input: Input<"verifyGateRun">): Promise<Output<"verifyGateRun">> {
    return this.request("POST", "/api/v1/gate/runs/{run}/verify", input as Request);
  }

  /** List the processes a run can be begun of. */
  listProcesses(input: Input<"listProcesses">): Promise<Output<"listProcesses">> {
    return this.request("GET", "/api/v1/processes", input as Request);
  }

  /** Look at a process: its graph, its definition, every mistake in it. */
  readProcess(input: Input<"readProcess">): Promise<Output<"readProcess">> {
    return this.request("GET", "/api/v1/processes/{process}", input as Request);
  }

  /** List the rulebooks that come with Saniwa, and those of one's own. */
  listRulebooks(input: Input<"listRulebooks">): Promise<Output<"listRulebooks">> {
    return this.request("GET", "/api/v1/rulebooks", input as Request);
  }

  /** Make a rulebook of one's own; its mistakes are kept too. */
  makeRulebook(input: Input<"makeRulebook">): Promise<Output<"makeRulebook">> {
    return this.request("POST", "/api/v1/rulebooks", input as Request);
  }

  /** Remove a rulebook of one's own; runs that began with it keep its rules. */
  removeRulebook(input: Input<"removeRulebook">): Promise<Output<"removeRulebook">> {
    return this.request("DELETE", "/api/v1/rulebooks/{name}", input as Request);
  }

  /** Read a rulebook, with those that it stands on. */
  readRulebook(input: Input<"readRulebook">): Promise<Output<"readRulebook">> {
    return this.request("GET", "/api/v1/rulebooks/{name}", input as Request);
  }

  /** Read the text of a rulebook. */
  readRulebookSource(input: Input<"readRulebookSource">): Promise<Output<"readRulebookSource">> {
    return this.request("GET", "/api/v1/rulebooks/{name}/source", input as Request);
  }

  /** Keep the text of a rulebook, if it is still the version that was seen. */
  keepRulebookSource(input: Input<"keepRulebookSource">): Promise<Output<"keepRulebookSource">> {
    return this.request("PUT", "/api/v1/rulebooks/{name}/source", input as Request);
  }

  /** List runs, the newest first. */
  listRuns(input: Input<"listRuns">): Promise<Output<"listRuns">> {
    return this.request("GET", "/api/v1/runs", input as Request);
  }

  /** Begin a run of a scenario, a story, or a draft. */
  beginRun(input: Input<"beginRun">): Promise<Output<"beginRun">> {
    return this.request("POST", "/api/v1/runs", input as Request);
  }

  /** Look at a run. */
  readRun(input: Input<"readRun">): Promise<Output<"readRun">> {
    return this.request("GET", "/api/v1/runs/{run}", input as Request);
  }

  /** Everything a character may do now. */
  listAdmissible(input: Input<"listAdmissible">): Promise<Output<"listAdmissible">> {
    return this.request("GET", "/api/v1/runs/{run}/admissible", input as Request);
  }

  /** Go back, in the story and in its world. */
  goBack(input: Input<"goBack">): Promise<Output<"goBack">> {
    return this.request("POST", "/api/v1/runs/{run}/back", input as Request);
  }

  /** What was shown, oldest first, as far as it is kept. */
  readBacklog(input: Input<"readBacklog">): Promise<Output<"readBacklog">> {
    return this.request("GET", "/api/v1/runs/{run}/backlog", input as Request);
  }

  /** Take one of the choices, and go on. */
  choose(input: Input<"choose">): Promise<Output<"choose">> {
    return this.request("POST", "/api/v1/runs/{run}/choices", input as Request);
  }

  /** What a character might try next. */
  readHint(input: Input<"readHint">): Promise<Output<"readHint">> {
    return this.request("GET", "/api/v1/runs/{run}/hint", input as Request);
  }

  /** What a character believes, beside what is so, now or after any turn. */
  readMind(input: Input<"readMind">): Promise<Output<"readMind">> {
    return this.request("GET", "/api/v1/runs/{run}/minds", input as Request);
  }

  /** Where a run stands: what to show, and what it waits for. */
  readMoment(input: Input<"readMoment">): Promise<Output<"readMoment">> {
    return this.request("GET", "/api/v1/runs/{run}/moment", input as Request);
  }

  /** How words would be understood and judged; nothing happens. */
  previewWords(input: Input<"previewWords">): Promise<Output<"previewWords">> {
    return this.request("POST", "/api/v1/runs/{run}/preview", input as Request);
  }

  /** Judge every turn again, and tell the first difference. */
  replayRun(input: Input<"replayRun">): Promise<Output<"replayRun">> {
    return this.request("POST", "/api/v1/runs/{run}/replay", input as Request);
  }

  /** Read the rulebook a run is judged by, layer by layer. */
  readRunRulebook(input: Input<"readRunRulebook">): Promise<Output<"readRunRulebook">> {
    return this.request("GET", "/api/v1/runs/{run}/rulebook", input as Request);
  }

  /** Lay a layer over a run's rulebook; kept as a turn. */
  editRunRulebook(input: Input<"editRunRulebook">): Promise<Output<"editRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook", input as Request);
  }

  /** Say everything that is wrong with a layer for a run's rulebook. */
  checkRunRulebook(input: Input<"checkRunRulebook">): Promise<Output<"checkRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook/check", input as Request);
  }

  /** Weigh what can be done now by a run's rulebook and by an edited one. */
  tryRunRulebook(input: Input<"tryRunRulebook">): Promise<Output<"tryRunRulebook">> {
    return this.request("POST", "/api/v1/runs/{run}/rulebook/try", input as Request);
  }

  /** List the places of a run to come back to. */
  listSaves(input: Input<"listSaves">): Promise<Output<"listSaves">> {
    return this.request("GET", "/api/v1/runs/{run}/saves", input as Request);
  }

  /** Forget such a place. */
  removeSave(input: Input<"removeSave">): Promise<Output<"removeSave">> {
    return this.request("DELETE", "/api/v1/runs/{run}/saves/{name}", input as Request);
  }

  /** Name the point where a run stands. */
  save(input: Input<"save">): Promise<Output<"save">> {
    return this.request("PUT", "/api/v1/runs/{run}/saves/{name}", input as Request);
  }

  /** Go back to such a place. */
  loadSave(input: Input<"loadSave">): Promise<Output<"loadSave">> {
    return this.request("POST", "/api/v1/runs/{run}/saves/{name}/load", input as Request);
  }

  /** Go on through what was seen before, to the first new line or choice. */
  skip(input: Input<"skip">): Promise<Output<"skip">> {
    return this.request("POST", "/api/v1/runs/{run}/skip", input as Request);
  }

  /** Go on to the next step. */
  takeStep(input: Input<"takeStep">): Promise<Output<"takeStep">> {
    return this.request("POST", "/api/v1/runs/{run}/steps", input as Request);
  }

  /** See who plays whom, and whether agents play by themselves. */
  readTable(input: Input<"readTable">): Promise<Output<"readTable">> {
    return this.request("GET", "/api/v1/runs/{run}/table", input as Request);
  }

  /** Let agents play by themselves, until a person is to act. */
  goTable(input: Input<"goTable">): Promise<Output<"goTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/go", input as Request);
  }

  /** Give a seat back to the agent who had it. */
  handSeatBack(input: Input<"handSeatBack">): Promise<Output<"handSeatBack">> {
    return this.request("POST", "/api/v1/runs/{run}/table/hand-back", input as Request);
  }

  /** Let agents stand still after the turn that is being taken. */
  pauseTable(input: Input<"pauseTable">): Promise<Output<"pauseTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/pause", input as Request);
  }

  /** Give seats to agents. */
  seatAgents(input: Input<"seatAgents">): Promise<Output<"seatAgents">> {
    return this.request("POST", "/api/v1/runs/{run}/table/seat", input as Request);
  }

  /** Let the agent whose turn it is take it. */
  stepTable(input: Input<"stepTable">): Promise<Output<"stepTable">> {
    return this.request("POST", "/api/v1/runs/{run}/table/step", input as Request);
  }

  /** Take a seat over from an agent. */
  takeSeat(input: Input<"takeSeat">): Promise<Output<"takeSeat">> {
    return this.request("POST", "/api/v1/runs/{run}/table/take", input as Request);
  }

  /** List the turns of a run, the last first; find some of them. */
  listTurns(input: Input<"listTurns">): Promise<Output<"listTurns">> {
    return this.request("GET", "/api/v1/runs/{run}/turns", input as Request);
  }

  /** Take a turn apart: words, claims, verdicts with their rules, changes. */
  readTurn(input: Input<"readTurn">): Promise<Output<"readTurn">> {
    return this.request("GET", "/api/v1/runs/{run}/turns/{turn}", input as Request);
  }

  /** Say or do something in one's own words, and go on; or say a word for the host. */
  say(input: Input<"say">): Promise<Output<"say">> {
    return this.request("POST", "/api/v1/runs/{run}/words", input as Request);
  }

  /** The world as a map, now or after any turn. */
  readWorld(input: Input<"readWorld">): Promise<Output<"readWorld">> {
    return this.request("GET", "/api/v1/runs/{run}/world", input as Request);
  }

  /** List the scenarios there are. */
  listScenarios(input: Input<"listScenarios">): Promise<Output<"listScenarios">> {
    return this.request("GET", "/api/v1/scenarios", input as Request);
  }

  /** Make a scenario to begin from, or a copy of one. */
  makeScenario(input: Input<"makeScenario">): Promise<Output<"makeScenario">> {
    return this.request("POST", "/api/v1/scenarios", input as Request);
  }

  /** Look at a scenario. */
  readScenario(input: Input<"readScenario">): Promise<Output<"readScenario">> {
    return this.request("GET", "/api/v1/scenarios/{scenario}", input as Request);
  }

  /** Read the text of a scenario. */
  readSource(input: Input<"readSource">): Promise<Output<"readSource">> {
    return this.request("GET", "/api/v1/scenarios/{scenario}/source", input as Request);
  }

  /** Keep the text of a scenario, if it is still the version that was seen. */
  keepSource(input: Input<"keepSource">): Promise<Output<"keepSource">> {
    return this.request("PUT", "/api/v1/scenarios/{scenario}/source", input as Request);
  }

  /** Give the caller another secret; every badge so far ends. */
  changeSecret(input: Input<"changeSecret">): Promise<Output<"changeSecret">> {
    return this.request("POST", "/api/v1/secret", input as Request);
  }

  /** Show a name and its secret, and get a badge. */
  signIn(input: Input<"signIn">): Promise<Output<"signIn">> {
    return this.request("POST", "/api/v1/sign-in", input as Request);
  }

  /** Give the badge back. */
  signOut(input: Input<"signOut">): Promise<Output<"signOut">> {
    return this.request("POST", "/api/v1/sign-out", input as Request);
  }

  /** Let no badge count that the caller was given until now. */
  signOutEverywhere(input: Input<"signOutEverywhere">): Promise<Output<"signOutEverywhere">> {
    return this.request("POST", "/api/v1/sign-out/everywhere", input as Request);
  }

  /** List the stories there are. */
  listStories(input: Input<"listStories">): Promise<Output<"listStories">> {
    return this.request("GET", "/api/v1/stories", input as Request);
  }

  /** Make a story to begin from, or a copy of one. */
  makeStory(input: Input<"makeStory">): Promise<Output<"makeStory">> {
    return this.request("POST", "/api/v1/stories", input as Request);
  }

  /** Look at a story. */
  readStory(input: Input<"readStory">): Promise<Output<"readStory">> {
    return this.request("GET", "/api/v1/stories/{story}", input as Request);
  }

  /** List the texts of a story. */
  listTexts(input: Input<"listTexts">): Promise<Output<"listTexts">> {
    return this.request("GET", "/api/v1/stories/{story}/files", input as Request);
  }

  /** Read a text of a story. */
  readText(input: Input<"readText">): Promise<Output<"readText">> {
    return this.request("GET", "/api/v1/stories/{story}/files/{path}", input as Request);
  }

  /** Keep a text of a story, if it is still the version that was seen. */
  keepText(input: Input<"keepText">): Promise<Output<"keepText">> {
    return this.request("PUT", "/api/v1/stories/{story}/files/{path}", input as Request);
  }
}
