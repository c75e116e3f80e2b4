/**
 * A client of Saniwa's HTTP door, written from its OpenAPI document: a method an operation.
 * Do not edit; `make client` writes it anew.
 */

import type { operations } from "./schema";

type Given<Part, Name extends string> = Part extends { [N in Name]: infer Value } ? Value : never;
type Parameters<Op> = Given<Op, "parameters">;
type Body<Op> = Op extends { requestBody: { content: { "application/json": infer Value } } }
  ? { body: Value }
  : Op extends { requestBody?: { content: { "application/json": infer Value } } }
    ? { body?: Value }
    : unknown;
type Path<Op> = [NonNullable<Given<Parameters<Op>, "path">>] extends [never]
  ? unknown
  : { path: Given<Parameters<Op>, "path"> };
type Query<Op> = Parameters<Op> extends { query?: infer Value } ? { query?: Value } : unknown;
type Seen<Op> = Parameters<Op> extends { header: { "If-Match": string } }
  ? { revision: number; key?: string }
  : { key?: string };

/** What an operation takes. */
export type Takes<Name extends keyof operations> = Path<operations[Name]> &
  Query<operations[Name]> &
  Body<operations[Name]> &
  Seen<operations[Name]>;

type Good = 200 | 201 | 204;
type Answers<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All & Good]: All[Status] extends { content: { "application/json": infer Value } } ? Value : void }[keyof All & Good]
  : never;

/** What an operation answers with. */
export type Gives<Name extends keyof operations> = Answers<operations[Name]>;

/** An answer that says no: `code` says why, `hint` what to do. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly hint: string,
    readonly details: Record<string, unknown>,
  ) {
    super(detail);
  }
}

type Asked = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  revision?: number;
  key?: string;
};

/** A server, asked. */
export class Saniwa {
  /** The server's address, and `NAME:SECRET` where it asks for a credential. */
  constructor(
    readonly address: string,
    private readonly credential = "",
  ) {}

  private async ask<T>(method: string, path: string, asked: Asked): Promise<T> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(asked.path?.[name])),
    );
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(asked.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers = new Headers({ accept: "application/json" });
    if (asked.body !== undefined) headers.set("content-type", "application/json");
    if (asked.revision !== undefined) headers.set("if-match", `"${asked.revision}"`);
    if (asked.key !== undefined) headers.set("idempotency-key", asked.key);
    if (this.credential) headers.set("authorization", `Bearer ${this.credential}`);
    const answer = await fetch(`${this.address}${filled}${query.size > 0 ? `?${query}` : ""}`, {
      method,
      headers,
      body: asked.body === undefined ? null : JSON.stringify(asked.body),
    });
    if (!answer.ok) {
      const told = await answer.json();
      throw new Refused(answer.status, told.code, told.detail, told.hint, told.details);
    }
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  /** What answers here, and to whom. */
  readAbout(asked: Takes<"readAbout">): Promise<Gives<"readAbout">> {
    return this.ask("GET", "/api/v1/", asked as Asked);
  }

  /** List the agents that can be seated at a table. */
  listAgents(asked: Takes<"listAgents">): Promise<Gives<"listAgents">> {
    return this.ask("GET", "/api/v1/agents", asked as Asked);
  }

  /** Say everything that is wrong with a rulebook; nothing is kept. */
  checkRulebook(asked: Takes<"checkRulebook">): Promise<Gives<"checkRulebook">> {
    return this.ask("POST", "/api/v1/check/rulebook", asked as Asked);
  }

  /** Check a scenario's text: findings, and the world as a map. */
  checkScenario(asked: Takes<"checkScenario">): Promise<Gives<"checkScenario">> {
    return this.ask("POST", "/api/v1/check/scenario", asked as Asked);
  }

  /** How words would be understood in the world that a text would be. */
  tryWords(asked: Takes<"tryWords">): Promise<Gives<"tryWords">> {
    return this.ask("POST", "/api/v1/check/scenario/words", asked as Asked);
  }

  /** Check a story's text: findings, outline, graph and length. */
  checkStory(asked: Takes<"checkStory">): Promise<Gives<"checkStory">> {
    return this.ask("POST", "/api/v1/check/story", asked as Asked);
  }

  /** List experiments, the newest first. */
  listExperiments(asked: Takes<"listExperiments">): Promise<Gives<"listExperiments">> {
    return this.ask("GET", "/api/v1/experiments", asked as Asked);
  }

  /** Look at an experiment: its plan, and how far it has come. */
  readExperiment(asked: Takes<"readExperiment">): Promise<Gives<"readExperiment">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}", asked as Asked);
  }

  /** List the runs of an experiment, in the plan's order. */
  listCells(asked: Takes<"listCells">): Promise<Gives<"listCells">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/cells", asked as Asked);
  }

  /** Look at a run, by its number or its key, turn by turn. */
  readCell(asked: Takes<"readCell">): Promise<Gives<"readCell">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/cells/{cell}", asked as Asked);
  }

  /** Look at a turn of a run, with what the model was told. */
  readTold(asked: Takes<"readTold">): Promise<Gives<"readTold">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/cells/{cell}/turns/{turn}", asked as Asked);
  }

  /** Compare two experiments: what differs, what got better or worse. */
  compareExperiments(asked: Takes<"compareExperiments">): Promise<Gives<"compareExperiments">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/compare/{other}", asked as Asked);
  }

  /** An experiment in numbers: conditions, tests, gates, and plots as figures. */
  readMeasures(asked: Takes<"readMeasures">): Promise<Gives<"readMeasures">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/measures", asked as Asked);
  }

  /** The report of an experiment as data: headings, words, tables, turns. */
  readReport(asked: Takes<"readReport">): Promise<Gives<"readReport">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/report", asked as Asked);
  }

  /** List the turns behind a number, in the plan's order. */
  listTurnsBehind(asked: Takes<"listTurnsBehind">): Promise<Gives<"listTurnsBehind">> {
    return this.ask("GET", "/api/v1/experiments/{experiment}/turns", asked as Asked);
  }

  /** List runs of processes, the newest first. */
  listGateRuns(asked: Takes<"listGateRuns">): Promise<Gives<"listGateRuns">> {
    return this.ask("GET", "/api/v1/gate/runs", asked as Asked);
  }

  /** Begin a run of a process. */
  beginGateRun(asked: Takes<"beginGateRun">): Promise<Gives<"beginGateRun">> {
    return this.ask("POST", "/api/v1/gate/runs", asked as Asked);
  }

  /** Where a run stands, what is missing, and what could happen. */
  readGateRun(asked: Takes<"readGateRun">): Promise<Gives<"readGateRun">> {
    return this.ask("GET", "/api/v1/gate/runs/{run}", asked as Asked);
  }

  /** What happened in a run, the oldest first. */
  readGateHistory(asked: Takes<"readGateHistory">): Promise<Gives<"readGateHistory">> {
    return this.ask("GET", "/api/v1/gate/runs/{run}/events", asked as Asked);
  }

  /** Send an event with its evidence, or a decision. */
  sendGateEvent(asked: Takes<"sendGateEvent">): Promise<Gives<"sendGateEvent">> {
    return this.ask("POST", "/api/v1/gate/runs/{run}/events", asked as Asked);
  }

  /** What a decision is made on, and the digest that binds it. */
  reviewGateRun(asked: Takes<"reviewGateRun">): Promise<Gives<"reviewGateRun">> {
    return this.ask("GET", "/api/v1/gate/runs/{run}/review", asked as Asked);
  }

  /** Take the ways of a run whose time has come. */
  tickGateRun(asked: Takes<"tickGateRun">): Promise<Gives<"tickGateRun">> {
    return this.ask("POST", "/api/v1/gate/runs/{run}/tick", asked as Asked);
  }

  /** Read a run again from its first byte, and tell what is not as it was. */
  verifyGateRun(asked: Takes<"verifyGateRun">): Promise<Gives<"verifyGateRun">> {
    return this.ask("POST", "/api/v1/gate/runs/{run}/verify", asked as Asked);
  }

  /** List the processes a run can be begun of. */
  listProcesses(asked: Takes<"listProcesses">): Promise<Gives<"listProcesses">> {
    return this.ask("GET", "/api/v1/processes", asked as Asked);
  }

  /** Look at a process: its graph, its definition, every mistake in it. */
  readProcess(asked: Takes<"readProcess">): Promise<Gives<"readProcess">> {
    return this.ask("GET", "/api/v1/processes/{process}", asked as Asked);
  }

  /** List the rulebooks that come with Saniwa. */
  listRulebooks(asked: Takes<"listRulebooks">): Promise<Gives<"listRulebooks">> {
    return this.ask("GET", "/api/v1/rulebooks", asked as Asked);
  }

  /** Read a rulebook that comes with Saniwa. */
  readRulebook(asked: Takes<"readRulebook">): Promise<Gives<"readRulebook">> {
    return this.ask("GET", "/api/v1/rulebooks/{name}", asked as Asked);
  }

  /** List runs, the newest first. */
  listRuns(asked: Takes<"listRuns">): Promise<Gives<"listRuns">> {
    return this.ask("GET", "/api/v1/runs", asked as Asked);
  }

  /** Begin a run of a scenario, a story, or a draft. */
  beginRun(asked: Takes<"beginRun">): Promise<Gives<"beginRun">> {
    return this.ask("POST", "/api/v1/runs", asked as Asked);
  }

  /** Look at a run. */
  readRun(asked: Takes<"readRun">): Promise<Gives<"readRun">> {
    return this.ask("GET", "/api/v1/runs/{run}", asked as Asked);
  }

  /** Everything a character may do now. */
  listAdmissible(asked: Takes<"listAdmissible">): Promise<Gives<"listAdmissible">> {
    return this.ask("GET", "/api/v1/runs/{run}/admissible", asked as Asked);
  }

  /** Go back, in the story and in its world. */
  goBack(asked: Takes<"goBack">): Promise<Gives<"goBack">> {
    return this.ask("POST", "/api/v1/runs/{run}/back", asked as Asked);
  }

  /** What was shown, oldest first, as far as it is kept. */
  readBacklog(asked: Takes<"readBacklog">): Promise<Gives<"readBacklog">> {
    return this.ask("GET", "/api/v1/runs/{run}/backlog", asked as Asked);
  }

  /** Take one of the choices, and go on. */
  choose(asked: Takes<"choose">): Promise<Gives<"choose">> {
    return this.ask("POST", "/api/v1/runs/{run}/choices", asked as Asked);
  }

  /** What a character might try next. */
  readHint(asked: Takes<"readHint">): Promise<Gives<"readHint">> {
    return this.ask("GET", "/api/v1/runs/{run}/hint", asked as Asked);
  }

  /** What a character believes, beside what is so, now or after any turn. */
  readMind(asked: Takes<"readMind">): Promise<Gives<"readMind">> {
    return this.ask("GET", "/api/v1/runs/{run}/minds", asked as Asked);
  }

  /** Where a run stands: what to show, and what it waits for. */
  readMoment(asked: Takes<"readMoment">): Promise<Gives<"readMoment">> {
    return this.ask("GET", "/api/v1/runs/{run}/moment", asked as Asked);
  }

  /** How words would be understood and judged; nothing happens. */
  previewWords(asked: Takes<"previewWords">): Promise<Gives<"previewWords">> {
    return this.ask("POST", "/api/v1/runs/{run}/preview", asked as Asked);
  }

  /** Judge every turn again, and tell the first difference. */
  replayRun(asked: Takes<"replayRun">): Promise<Gives<"replayRun">> {
    return this.ask("POST", "/api/v1/runs/{run}/replay", asked as Asked);
  }

  /** Read the rulebook a run is judged by, layer by layer. */
  readRunRulebook(asked: Takes<"readRunRulebook">): Promise<Gives<"readRunRulebook">> {
    return this.ask("GET", "/api/v1/runs/{run}/rulebook", asked as Asked);
  }

  /** Lay a layer over a run's rulebook; kept as a turn. */
  editRunRulebook(asked: Takes<"editRunRulebook">): Promise<Gives<"editRunRulebook">> {
    return this.ask("POST", "/api/v1/runs/{run}/rulebook", asked as Asked);
  }

  /** Say everything that is wrong with a layer for a run's rulebook. */
  checkRunRulebook(asked: Takes<"checkRunRulebook">): Promise<Gives<"checkRunRulebook">> {
    return this.ask("POST", "/api/v1/runs/{run}/rulebook/check", asked as Asked);
  }

  /** Weigh what can be done now by a run's rulebook and by an edited one. */
  tryRunRulebook(asked: Takes<"tryRunRulebook">): Promise<Gives<"tryRunRulebook">> {
    return this.ask("POST", "/api/v1/runs/{run}/rulebook/try", asked as Asked);
  }

  /** List the places of a run to come back to. */
  listSaves(asked: Takes<"listSaves">): Promise<Gives<"listSaves">> {
    return this.ask("GET", "/api/v1/runs/{run}/saves", asked as Asked);
  }

  /** Forget such a place. */
  removeSave(asked: Takes<"removeSave">): Promise<Gives<"removeSave">> {
    return this.ask("DELETE", "/api/v1/runs/{run}/saves/{name}", asked as Asked);
  }

  /** Name the point where a run stands. */
  save(asked: Takes<"save">): Promise<Gives<"save">> {
    return this.ask("PUT", "/api/v1/runs/{run}/saves/{name}", asked as Asked);
  }

  /** Go back to such a place. */
  loadSave(asked: Takes<"loadSave">): Promise<Gives<"loadSave">> {
    return this.ask("POST", "/api/v1/runs/{run}/saves/{name}/load", asked as Asked);
  }

  /** Go on through what was seen before, to the first new line or choice. */
  skip(asked: Takes<"skip">): Promise<Gives<"skip">> {
    return this.ask("POST", "/api/v1/runs/{run}/skip", asked as Asked);
  }

  /** Go on to the next step. */
  takeStep(asked: Takes<"takeStep">): Promise<Gives<"takeStep">> {
    return this.ask("POST", "/api/v1/runs/{run}/steps", asked as Asked);
  }

  /** See who plays whom, and whether agents play by themselves. */
  readTable(asked: Takes<"readTable">): Promise<Gives<"readTable">> {
    return this.ask("GET", "/api/v1/runs/{run}/table", asked as Asked);
  }

  /** Let agents play by themselves, until a person is to act. */
  goTable(asked: Takes<"goTable">): Promise<Gives<"goTable">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/go", asked as Asked);
  }

  /** Give a seat back to the agent who had it. */
  handSeatBack(asked: Takes<"handSeatBack">): Promise<Gives<"handSeatBack">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/hand-back", asked as Asked);
  }

  /** Let agents stand still after the turn that is being taken. */
  pauseTable(asked: Takes<"pauseTable">): Promise<Gives<"pauseTable">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/pause", asked as Asked);
  }

  /** Give seats to agents. */
  seatAgents(asked: Takes<"seatAgents">): Promise<Gives<"seatAgents">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/seat", asked as Asked);
  }

  /** Let the agent whose turn it is take it. */
  stepTable(asked: Takes<"stepTable">): Promise<Gives<"stepTable">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/step", asked as Asked);
  }

  /** Take a seat over from an agent. */
  takeSeat(asked: Takes<"takeSeat">): Promise<Gives<"takeSeat">> {
    return this.ask("POST", "/api/v1/runs/{run}/table/take", asked as Asked);
  }

  /** List the turns of a run, the last first; find some of them. */
  listTurns(asked: Takes<"listTurns">): Promise<Gives<"listTurns">> {
    return this.ask("GET", "/api/v1/runs/{run}/turns", asked as Asked);
  }

  /** Take a turn apart: words, claims, verdicts with their rules, changes. */
  readTurn(asked: Takes<"readTurn">): Promise<Gives<"readTurn">> {
    return this.ask("GET", "/api/v1/runs/{run}/turns/{turn}", asked as Asked);
  }

  /** Say or do something in one's own words, and go on. */
  say(asked: Takes<"say">): Promise<Gives<"say">> {
    return this.ask("POST", "/api/v1/runs/{run}/words", asked as Asked);
  }

  /** The world as a map, now or after any turn. */
  readWorld(asked: Takes<"readWorld">): Promise<Gives<"readWorld">> {
    return this.ask("GET", "/api/v1/runs/{run}/world", asked as Asked);
  }

  /** List the scenarios there are. */
  listScenarios(asked: Takes<"listScenarios">): Promise<Gives<"listScenarios">> {
    return this.ask("GET", "/api/v1/scenarios", asked as Asked);
  }

  /** Make a scenario to begin from, or a copy of one. */
  makeScenario(asked: Takes<"makeScenario">): Promise<Gives<"makeScenario">> {
    return this.ask("POST", "/api/v1/scenarios", asked as Asked);
  }

  /** Look at a scenario. */
  readScenario(asked: Takes<"readScenario">): Promise<Gives<"readScenario">> {
    return this.ask("GET", "/api/v1/scenarios/{scenario}", asked as Asked);
  }

  /** Read the text of a scenario. */
  readSource(asked: Takes<"readSource">): Promise<Gives<"readSource">> {
    return this.ask("GET", "/api/v1/scenarios/{scenario}/source", asked as Asked);
  }

  /** Keep the text of a scenario, if it is still the version that was seen. */
  keepSource(asked: Takes<"keepSource">): Promise<Gives<"keepSource">> {
    return this.ask("PUT", "/api/v1/scenarios/{scenario}/source", asked as Asked);
  }

  /** Give the caller another secret; every badge so far ends. */
  changeSecret(asked: Takes<"changeSecret">): Promise<Gives<"changeSecret">> {
    return this.ask("POST", "/api/v1/secret", asked as Asked);
  }

  /** Show a name and its secret, and get a badge. */
  signIn(asked: Takes<"signIn">): Promise<Gives<"signIn">> {
    return this.ask("POST", "/api/v1/sign-in", asked as Asked);
  }

  /** Give the badge back. */
  signOut(asked: Takes<"signOut">): Promise<Gives<"signOut">> {
    return this.ask("POST", "/api/v1/sign-out", asked as Asked);
  }

  /** Let no badge count that the caller was given until now. */
  signOutEverywhere(asked: Takes<"signOutEverywhere">): Promise<Gives<"signOutEverywhere">> {
    return this.ask("POST", "/api/v1/sign-out/everywhere", asked as Asked);
  }

  /** List the stories there are. */
  listStories(asked: Takes<"listStories">): Promise<Gives<"listStories">> {
    return this.ask("GET", "/api/v1/stories", asked as Asked);
  }

  /** Make a story to begin from, or a copy of one. */
  makeStory(asked: Takes<"makeStory">): Promise<Gives<"makeStory">> {
    return this.ask("POST", "/api/v1/stories", asked as Asked);
  }

  /** Look at a story. */
  readStory(asked: Takes<"readStory">): Promise<Gives<"readStory">> {
    return this.ask("GET", "/api/v1/stories/{story}", asked as Asked);
  }

  /** List the texts of a story. */
  listTexts(asked: Takes<"listTexts">): Promise<Gives<"listTexts">> {
    return this.ask("GET", "/api/v1/stories/{story}/files", asked as Asked);
  }

  /** Read a text of a story. */
  readText(asked: Takes<"readText">): Promise<Gives<"readText">> {
    return this.ask("GET", "/api/v1/stories/{story}/files/{path}", asked as Asked);
  }

  /** Keep a text of a story, if it is still the version that was seen. */
  keepText(asked: Takes<"keepText">): Promise<Gives<"keepText">> {
    return this.ask("PUT", "/api/v1/stories/{story}/files/{path}", asked as Asked);
  }
}
