/** One run, watched: which moment is looked at, and what is known of it. */

import { listen } from "../../api/live";
import type { RunView } from "../../api/shapes";
import { listTurns, readRun, readTable, readTurn, readWorld } from "./calls";
import { ThrottledNumber } from "./throttle.svelte";
import type { Search, TableView, TurnLine, TurnView, WorldView } from "./types";

const KEPT = 200;
const GOING = 1200;

export class WatchedRun {
  /** The run; null until it is known. */
  view: RunView | null = $state(null);
  /** How many turns it has. */
  count = $state(0);
  /** Whether the last turn is looked at as soon as it happens. */
  following = $state(true);
  /** Whether we hear of changes. */
  live = $state(false);
  search: Search = $state({ q: "", only: "all", actor: "", type: "" });
  lines: TurnLine[] = $state([]);
  next: string | null = $state(null);
  listing = $state(false);
  table: TableView | null = $state(null);
  problem: unknown = $state(null);

  private turns = new Map<number, TurnView>();
  private worlds = new Map<number, WorldView>();
  private readonly moment: ThrottledNumber;
  private asked = 0;
  private begun = 0;
  private seen = 0;

  constructor(
    readonly run: string,
    turn: number | null,
  ) {
    this.moment = new ThrottledNumber(turn ?? -1);
    this.following = turn === null;
  }

  /** The turn that is looked at; -1 for the beginning. */
  get turn(): number {
    return this.moment.now;
  }

  /** The turn that is shown: a hand on the slider passes many that nobody reads. */
  get shown(): number {
    return this.moment.followed;
  }

  /** Begin to watch; gives how to stop. */
  open(): () => void {
    void this.refresh();
    const stop = listen({
      path: ["runs", this.run, "live"],
      told: (name) => void (name === "revision" && this.refresh()),
      broken: (lost) => (this.live = !lost),
    });
    const timer = setInterval(() => {
      if (this.table?.going) void this.telling(() => this.seeTable());
    }, GOING);
    return () => {
      stop();
      clearInterval(timer);
      this.moment.close();
    };
  }

  /** See what is new. */
  async refresh(): Promise<void> {
    const mine = ++this.begun;
    await this.telling(async () => {
      const view = await readRun(this.run);
      // Answers may overtake each other; an older one is no news.
      if (mine < this.seen) return;
      this.seen = mine;
      this.view = view;
      if (view.line.kind === "story") return;
      const before = this.count;
      this.count = view.line.turns;
      if (this.following || this.turn >= this.count) this.moment.set(this.count - 1);
      await Promise.all([before !== this.count || this.lines.length === 0 ? this.list() : null, this.seeTable()]);
      this.problem = null;
    }, mine);
  }

  /** Look for other turns. */
  async seek(search: Partial<Search>): Promise<void> {
    this.search = { ...this.search, ...search };
    await this.telling(() => this.list());
  }

  private async seeTable(): Promise<void> {
    const table = await readTable(this.run);
    if (table.revision >= (this.table?.revision ?? 0)) this.table = table;
  }

  /** List the turns that are looked for, from the last on. */
  private async list(): Promise<void> {
    const mine = ++this.asked;
    this.listing = true;
    try {
      const page = await listTurns(this.run, this.search, undefined, Math.min(Math.max(60, this.lines.length + 1), KEPT));
      if (mine !== this.asked) return;
      this.lines = page.items;
      this.next = page.next;
    } finally {
      if (mine === this.asked) this.listing = false;
    }
  }

  async more(after: string): Promise<void> {
    const mine = this.asked;
    await this.telling(async () => {
      const page = await listTurns(this.run, this.search, after);
      if (mine !== this.asked) return;
      this.lines = [...this.lines, ...page.items];
      this.next = page.next;
    });
  }

  /** Look at a moment; the last one is followed. */
  look(turn: number): void {
    this.moment.set(Math.min(Math.max(turn, -1), this.count - 1));
    this.following = this.turn === this.count - 1;
  }

  /** A turn, taken apart. Turns never change, so each is asked for once. */
  async turnAt(turn: number): Promise<TurnView> {
    return this.kept(this.turns, turn, () => readTurn(this.run, turn));
  }

  async worldAt(turn: number): Promise<WorldView> {
    return this.kept(this.worlds, turn, () => readWorld(this.run, turn));
  }

  /** Do something; what goes wrong is told on the page, unless newer things went well. */
  private async telling(act: () => Promise<unknown>, mine = Infinity): Promise<void> {
    try {
      await act();
    } catch (problem) {
      if (mine >= this.seen) this.problem = problem;
    }
  }

  private async kept<T>(known: Map<number, T>, turn: number, read: () => Promise<T>): Promise<T> {
    const found = known.get(turn) ?? (await read());
    known.set(turn, found);
    const oldest = known.keys().next().value;
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    return found;
  }
}
