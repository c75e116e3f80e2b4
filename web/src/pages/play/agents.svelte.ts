/** The agents of a run: after a person's turn they take theirs, until a person is to act again. */

import type { Schemas } from "../../api/shapes";
import { startAgents, pauseAgents, readTable } from "./calls";

export type TableView = Schemas["TableView"];

/** What is asked of the server; another one in tests. */
export type TableCalls = {
  readTable: (run: string) => Promise<TableView>;
  startAgents: (run: string) => Promise<TableView>;
  pauseAgents: (run: string) => Promise<TableView>;
};

/** Milliseconds between two looks while agents play; their turns are told by the live stream. */
const LOOK = 700;

/** Lets the agents of one run take their turns. */
export class AgentTurns {
  /** Who plays whom; null until somebody has looked. */
  table = $state.raw<TableView | null>(null);
  /** Why they cannot be let play. */
  problem = $state.raw<unknown>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    readonly run: string,
    /** Shows what has happened since. */
    private readonly see: () => Promise<unknown>,
    private readonly calls: TableCalls = { readTable, startAgents, pauseAgents },
  ) {}

  /** Whether agents play now. */
  get going(): boolean {
    return this.table?.going ?? false;
  }

  /** Whether an agent is to act, and none does. */
  get waiting(): boolean {
    return !this.going && this.table !== null && isAgents(this.table);
  }

  /** The name of who is thinking; empty where nobody is. */
  get thinking(): string {
    return this.table?.seats.find((seat) => seat.who === this.table?.thinking)?.name ?? "";
  }

  /** The character a person speaks as now, where that is not the run's own; empty else. */
  get voice(): { who: string; name: string } | null {
    const { table } = this;
    if (!table?.agents) return null;
    return table.seats.find((seat) => seat.who === table.awaited && seat.player === "person") ?? null;
  }

  /** Let agents act, if one of them is to; `afresh` also where the last one could not go on. */
  async answer({ afresh = true }: { afresh?: boolean } = {}): Promise<void> {
    await this.telling(async () => {
      this.table = await this.calls.readTable(this.run);
      if (!this.going && isAgents(this.table) && (afresh || !this.table.trouble)) {
        this.table = await this.calls.startAgents(this.run);
      }
      this.follow();
    });
  }

  /** Let them stand still after the turn that is being taken. */
  async pause(): Promise<void> {
    await this.telling(async () => {
      this.table = await this.calls.pauseAgents(this.run);
      this.follow();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private follow(): void {
    clearTimeout(this.timer);
    if (!this.going || this.closed) return;
    this.timer = setTimeout(
      () =>
        void this.telling(async () => {
          const table = await this.calls.readTable(this.run);
          await this.see();
          this.table = table;
          this.follow();
        }),
      LOOK,
    );
  }

  private async telling(act: () => Promise<void>): Promise<void> {
    try {
      this.problem = null;
      await act();
    } catch (failure) {
      this.problem = failure;
      if (this.table) this.table = { ...this.table, going: false, thinking: "" };
    }
  }
}

/** Whether an agent is to act at a table where agents may. */
function isAgents({ agents, playable, finished, awaited, seats }: TableView): boolean {
  if (!agents || !playable || finished) return false;
  const seat = seats.find((each) => each.who === awaited);
  return seat !== undefined && seat.player !== "" && seat.player !== "person";
}
