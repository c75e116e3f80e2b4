/**
 * One text that is being written: fetched, checked while it is typed, kept.
 *
 * Of several checks under way only the last one counts. What is not saved is kept in the
 * browser; what somebody else has saved meanwhile is never written over unasked.
 */

import { Problem } from "../../api/saniwa";
import {
  checkScenario,
  checkStory,
  saveText,
  readText,
  type CheckedStory,
  type CheckedWorld,
  type Fetched,
  type Format,
  type Kind,
  type Mark,
} from "./calls";
import type { Tongue } from "./colours";
import { saveDraft, readDraft } from "./localDrafts";

const WAIT = 350;
const NONE: readonly Mark[] = [];

/** What came of saving. */
export type Saved = "kept" | "conflict" | "failed";

/** A text on the page. */
export class EditedText {
  readonly kind: Kind;
  readonly id: string;
  readonly file: string;
  text = $state("");
  /** The text as it is kept on the server, as far as we know. */
  kept = $state.raw("");
  shipped = $state(false);
  format = $state<Format>("yaml");
  /** Whether what was left unsaved another time was taken up. */
  restored = $state(false);
  story = $state.raw<CheckedStory | null>(null);
  world = $state.raw<CheckedWorld | null>(null);
  checking = $state(false);
  saving = $state(false);
  problem = $state.raw<unknown>(null);
  /** What somebody else has saved meanwhile. */
  theirs = $state.raw<Fetched | null>(null);
  private seen = "";
  private ends = "\n";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private under: AbortController | undefined;

  constructor(kind: Kind, id: string, file: string) {
    this.kind = kind;
    this.id = id;
    this.file = file;
  }

  /** Whether something was written that is not saved. */
  get changed(): boolean {
    return this.text !== this.kept;
  }

  /** What kind of text it is. */
  get tongue(): Tongue {
    if (this.kind === "scenario") return this.format;
    if (this.file.endsWith(".md")) return "story";
    if (this.file.endsWith(".yaml")) return "yaml";
    return this.file.endsWith(".json") ? "json" : "plain";
  }

  /** Whether it can be checked: tables and lists of speakers are not. */
  get checkable(): boolean {
    return this.kind === "scenario" || this.tongue === "story";
  }

  get marks(): readonly Mark[] {
    return (this.kind === "story" ? this.story?.findings : this.world?.findings) ?? NONE;
  }

  /** Fetch it, and take up what was left unsaved. */
  async open(): Promise<void> {
    const left = readDraft(this.kind, this.id, this.file);
    this.take(await readText(this.kind, this.id, this.file));
    if (left !== null && left.text !== this.kept && !this.shipped) {
      this.seen = left.seen;
      this.restored = true;
      this.write(left.text);
    }
    await this.check();
  }

  /** Somebody typed. */
  write(text: string): void {
    this.text = text;
    saveDraft(this.kind, this.id, this.file, this.changed ? { text, seen: this.seen } : null);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), WAIT);
  }

  /** Stop everything that was to come. */
  close(): void {
    clearTimeout(this.timer);
    this.under?.abort();
  }

  /** Save; what somebody else saved meanwhile is fetched, to be looked at. */
  async save(): Promise<Saved> {
    if (this.saving) return "failed";
    this.saving = true;
    this.problem = null;
    const text = this.text;
    try {
      this.seen = await saveText(this.kind, this.id, this.file, text.replaceAll("\n", this.ends), this.seen);
      this.kept = text;
      this.restored = false;
      saveDraft(this.kind, this.id, this.file, this.changed ? { text: this.text, seen: this.seen } : null);
      return "kept";
    } catch (failure) {
      const overtaken = failure instanceof Problem && failure.code === "REVISION_CONFLICT";
      const theirs = overtaken ? await this.fetched() : null;
      if (!overtaken) this.problem = failure;
      if (theirs !== null) this.theirs = plain(theirs);
      return theirs === null ? "failed" : "conflict";
    } finally {
      this.saving = false;
    }
  }

  /** Let our text stand: theirs was looked at. */
  async keepMine(): Promise<Saved> {
    if (this.theirs !== null) this.seen = this.theirs.version;
    this.theirs = null;
    return this.save();
  }

  /** Let the saved text stand, and forget ours. */
  async takeTheirs(): Promise<void> {
    const theirs = this.theirs ?? (await this.fetched());
    if (theirs === null) return;
    this.take(theirs);
    this.theirs = null;
    await this.check();
  }

  /** Check the text as it stands. */
  async check(): Promise<void> {
    clearTimeout(this.timer);
    this.under?.abort();
    if (!this.checkable) return;
    const under = (this.under = new AbortController());
    this.checking = true;
    try {
      const { text, id, file, format } = this;
      if (this.kind === "story") this.story = await checkStory(text, id, file, under.signal);
      else this.world = await checkScenario(text, format, id, under.signal);
      this.problem = null;
    } catch (failure) {
      if (!under.signal.aborted) this.problem = failure;
    } finally {
      if (this.under === under) this.checking = false;
    }
  }

  /** The text as the server has it; null where that cannot be had, which is told. */
  private async fetched(): Promise<Fetched | null> {
    try {
      return await readText(this.kind, this.id, this.file);
    } catch (failure) {
      this.problem = failure;
      return null;
    }
  }

  private take(found: Fetched): void {
    this.ends = found.text.includes("\r\n") ? "\r\n" : "\n";
    this.text = this.kept = plain(found).text;
    this.seen = found.version;
    this.shipped = found.shipped;
    this.format = found.format;
    this.restored = false;
    saveDraft(this.kind, this.id, this.file, null);
  }
}

/** The same with line ends as a browser's field has them. */
function plain(found: Fetched): Fetched {
  return { ...found, text: found.text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") };
}
