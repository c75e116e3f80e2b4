/**
 * One run, played: what is shown, what may come next, and every request in between.
 *
 * What was asked and got lost is kept as it was, and sent again under the same key.
 */

import { makeRequestKey } from "../../api/client";
import { UNREACHABLE } from "../../api/client";
import { Problem } from "../../api/saniwa";
import type { Moment, RunView, StepResult } from "../../api/shapes";
import { sendChange, readBacklog, readMoment, listTurns, readRun, type Change } from "./calls";
import { AgentTurns } from "./agents.svelte";
import { preferences } from "./preferences.svelte";
import { isRefused, joinTurns, type Retold } from "./turnLog";
import { showArrival, EMPTY, showStep, type Line, type Stage } from "./stage";
import { estimateReadingTime } from "./typewriter";

/** A piece of a scenario's flowing text; `refused` is the turn of which something was refused. */
export type Entry = { key: number; mine: boolean; lines: readonly Line[]; old: boolean; refused: number | null };

/** What happened to a request. */
export type Outcome = "done" | "stale" | "lost" | "refused" | "busy";

/** What the host answered to a word for it; `moved` where the run went back. */
export type HostAnswer = { command: string; lines: readonly string[]; moved: boolean };

const FARTHEST = 30;

/** A run on the page. */
export class Playing {
  readonly run: string;
  view = $state.raw<RunView | null>(null);
  moment = $state.raw<Moment | null>(null);
  stage = $state.raw<Stage>(EMPTY);
  /** Which line of the step is shown. */
  at = $state(0);
  /** Whether that line is there to its last letter. */
  typed = $state(true);
  /** Whether the step's film still runs. */
  filming = $state(false);
  auto = $state(false);
  busy = $state(false);
  entries = $state.raw<readonly Entry[]>([]);
  /** What was asked and got no answer; it may have happened. */
  unsent = $state.raw<Change | null>(null);
  problem = $state.raw<unknown>(null);
  /** The words that were heard last, however often they had to be sent. */
  said = $state.raw<{ words: string } | null>(null);
  /** What the host answered last to a word for it; null after any other words. */
  answer = $state.raw<HostAnswer | null>(null);
  /** Called when somebody else turned out to have played on. */
  onstale: () => void = () => undefined;
  /** The agents who play here too. */
  readonly agents: AgentTurns;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;

  constructor(run: string) {
    this.run = run;
    this.agents = new AgentTurns(run, () => this.catchUp());
  }

  /** Whether its text flows, as a scenario's does; else one line is shown at a time. */
  get flows(): boolean {
    return this.view?.line.kind === "scenario";
  }

  /** The line that is shown; null between lines. */
  get line(): Line | null {
    return this.stage.lines[this.at] ?? null;
  }

  /** Whether everything of this step has been shown. */
  get settled(): boolean {
    return this.typed && !this.filming && this.at >= this.stage.lines.length - 1;
  }

  /** Whether a choice can be made now. */
  get choosing(): boolean {
    return this.settled && this.stage.options.length > 0 && this.waitsFor("choice");
  }

  /** Whether words can be said now. */
  get speaking(): boolean {
    return this.settled && this.waitsFor("words");
  }

  get ended(): boolean {
    return this.moment?.waiting === "end";
  }

  /** Whether others may act here too. */
  get shared(): boolean {
    return this.flows && (this.view?.cast.length ?? 0) > 1;
  }

  /** Whom the person speaks as now. */
  get actor(): string {
    return this.agents.voice?.who ?? this.view?.actor ?? "";
  }

  /** Open the run where it stands. */
  async open(): Promise<void> {
    const [view, moment] = await Promise.all([readRun(this.run), readMoment(this.run)]);
    this.view = view;
    if (this.flows) {
      const told = (await this.retell()).filter(({ number }) => number < moment.revision).slice(-FARTHEST);
      this.entries = [...this.entriesOf(told.slice(0, -1), true), ...this.entriesOf(told.slice(-1), false)];
    }
    this.arriveAt(moment, true);
    if (this.shared) void this.agents.answer({ afresh: false });
  }

  /** What was shown, oldest first, with what was said before each. */
  async retell(): Promise<Retold[]> {
    const { items } = await readBacklog(this.run);
    if (!this.flows) return items.map((step) => ({ step, words: "", number: -1, refused: false }));
    return joinTurns(items, (await listTurns(this.run)).items, this.view?.actor ?? "");
  }

  /** Stop everything that was to come by itself. */
  close(): void {
    clearTimeout(this.timer);
    this.agents.close();
  }

  /** Finish the line, show the next one, or go on: whichever comes first. */
  async advance(): Promise<void> {
    if (this.filming) return this.filmed();
    if (!this.typed) return this.finish();
    if (this.at < this.stage.lines.length - 1) return this.turn();
    if (this.moment?.waiting === "step") await this.ask({ operation: "takeStep" });
  }

  /** The line is there to its last letter. */
  finish(): void {
    this.typed = true;
    this.plan();
  }

  /** The film is over. */
  filmed(): void {
    this.filming = false;
    if (this.stage.lines.length === 0 && this.moment?.waiting === "step") void this.ask({ operation: "takeStep" });
    else this.plan();
  }

  choose(index: number): Promise<Outcome> {
    return this.ask({ operation: "choose", body: { index } });
  }

  say(text: string): Promise<Outcome> {
    const other = this.flows && this.actor !== this.view?.actor;
    return this.ask({ operation: "say", body: other ? { text, actor: this.actor } : { text }, words: text });
  }

  /** Go back so many steps; what only led on by itself is no place to stop at. */
  async back(steps = 1): Promise<Outcome> {
    this.auto = false;
    let outcome = await this.ask({ operation: "goBack", body: { steps } });
    while (outcome === "done" && this.stage.next === "Next" && this.moment?.back) {
      outcome = await this.ask({ operation: "goBack", body: { steps: 1 } });
    }
    // What was read once need not be typed again.
    if (outcome === "done") this.finish();
    return outcome;
  }

  /** Go on through what was seen before; whether there was any. */
  async skip(): Promise<boolean> {
    const before = this.moment?.revision;
    const outcome = await this.ask({ operation: "skip" });
    return outcome === "done" && this.moment?.revision !== before;
  }

  load(name: string): Promise<Outcome> {
    return this.ask({ operation: "loadSave", save: name });
  }

  /** Send again what got lost. */
  async again(): Promise<Outcome> {
    return this.unsent === null ? "done" : this.send(this.unsent);
  }

  /** Look where the run stands; whether somebody else has brought it there. */
  async catchUp(): Promise<boolean> {
    const moment = await readMoment(this.run);
    const missed = moment.revision - (this.moment?.revision ?? 0);
    if (missed === 0 || this.busyWith(moment)) return false;
    if (this.flows) await this.readUp(moment);
    else this.take(moment, true);
    return true;
  }

  /** Let it go on by itself, or wait again. */
  setAuto(on: boolean): void {
    this.auto = on;
    this.plan();
  }

  /** Whether our own request has brought us at least as far meanwhile. */
  private busyWith(moment: Moment): boolean {
    return this.moment !== null && moment.revision < this.moment.revision;
  }

  /** Show what was told since, as far as anything was: other seats and other rules are no story. */
  private async readUp(moment: Moment): Promise<void> {
    const told = await this.retell();
    const known = this.moment?.revision ?? 0;
    // Another answer may have brought us further meanwhile.
    if (moment.revision <= known) return;
    const since = told.filter(({ number }) => number >= known && number < moment.revision);
    this.entries = [...this.entries, ...this.entriesOf(since, false)].slice(-200);
    this.arriveAt(moment, true);
  }

  private waitsFor(what: "choice" | "words"): boolean {
    return this.moment?.waiting.includes(what) ?? false;
  }

  private turn(): void {
    this.at += 1;
    this.typed = false;
    this.plan();
  }

  private async ask(change: Omit<Change, "revision" | "key">): Promise<Outcome> {
    if (this.moment === null || this.unsent !== null) return "busy";
    return this.send({ ...change, revision: this.moment.revision, key: makeRequestKey() });
  }

  private async send(asked: Change): Promise<Outcome> {
    if (this.busy) return "busy";
    clearTimeout(this.timer);
    this.busy = true;
    this.problem = null;
    try {
      const moment = await sendChange(this.run, asked);
      this.unsent = null;
      this.answer = null;
      if (this.flows && moment.host) return this.answered(moment, asked.words ?? "");
      if (asked.words !== undefined) this.heard(asked.words);
      this.take(moment, moment.scenery !== null);
      if (this.flows && asked.words !== undefined) void this.judge(moment);
      if (this.shared) void this.agents.answer();
      return "done";
    } catch (failure) {
      return await this.failed(failure, asked);
    } finally {
      this.busy = false;
    }
  }

  private async failed(failure: unknown, asked: Change): Promise<Outcome> {
    const code = failure instanceof Problem ? failure.code : "";
    if (code === UNREACHABLE) {
      this.unsent = asked;
      return "lost";
    }
    this.unsent = null;
    if (code === "REVISION_CONFLICT") {
      await this.catchUp();
      this.onstale();
      return "stale";
    }
    this.problem = failure;
    return "refused";
  }

  /** Take the answer to a word for the host: it is no line of the text, unless the run went back. */
  private answered(moment: Moment, words: string): Outcome {
    const moved = moment.revision !== this.moment?.revision;
    const lines = showStep(EMPTY, moment.step).lines.map((line) => line.text);
    this.said = { words };
    this.answer = { command: moment.host, lines, moved };
    if (moved) {
      this.take(moment, moment.scenery !== null);
      if (this.shared) void this.agents.answer();
    }
    return "done";
  }

  private heard(words: string): void {
    this.said = { words };
    if (!this.flows) return;
    this.entries = [...this.entries, this.mine(words, false)];
  }

  private take(moment: Moment, afresh: boolean): void {
    if (this.flows) this.entries = [...this.entries, this.entry(moment.step, false, null)].slice(-200);
    this.arriveAt(moment, afresh);
  }

  /** Mark what is shown last where something of its turn was refused. */
  private async judge(moment: Moment): Promise<void> {
    const shown = this.entries.at(-1);
    const [turn] = (await listTurns(this.run, { limit: 1, after: moment.revision }).catch(() => ({ items: [] }))).items;
    if (!shown || !turn || !isRefused(turn)) return;
    this.entries = this.entries.map((entry) => (entry.key === shown.key ? { ...entry, refused: turn.number } : entry));
  }

  private arriveAt(moment: Moment, afresh: boolean): void {
    this.moment = moment;
    this.stage = afresh ? showArrival(moment.step, moment.scenery) : showStep(this.stage, moment.step);
    this.at = this.flows ? this.stage.lines.length : 0;
    this.typed = this.flows || this.stage.lines.length === 0;
    this.filming = this.stage.movie !== null;
    this.plan();
  }

  private entriesOf(told: readonly Retold[], old: boolean): Entry[] {
    return told
      .flatMap(({ step, words, number, refused }) => [
        ...(words ? [this.mine(words, old)] : []),
        this.entry(step, old, refused ? number : null),
      ])
      .filter((entry) => entry.lines.length > 0);
  }

  private mine(words: string, old: boolean): Entry {
    return { key: ++this.last, mine: true, lines: [{ speaker: "", text: words, tags: [] }], old, refused: null };
  }

  private entry(step: StepResult, old: boolean, refused: number | null): Entry {
    return { key: ++this.last, mine: false, lines: showStep(EMPTY, step).lines, old, refused };
  }

  /** Decide what comes by itself, and when. */
  private plan(): void {
    clearTimeout(this.timer);
    if (!this.typed || this.filming || this.moment === null) return;
    const leads = this.settled && this.stage.next === "Next" && this.moment.waiting === "step";
    const rest = this.line === null || this.flows ? 0 : estimateReadingTime(this.line.text, preferences.pace);
    if (leads) this.after(this.stage.pause * 1000 + rest);
    else if (this.auto && (!this.settled || this.moment.waiting === "step")) this.after(rest);
  }

  private after(wait: number): void {
    this.timer = setTimeout(() => void this.advance(), wait);
  }
}
