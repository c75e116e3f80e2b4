/** One run on the table: what was looked at, and whether it has moved on since. */

import { readReview, readRun } from "./calls";
import type { Review, RunView } from "./types";

/** How a desk looks at a run. */
export type Looking = { readRun: (run: string) => Promise<RunView>; readReview: (run: string) => Promise<Review> };

const TRIES = 4;

/** A run as somebody looks at it. View and review are of one revision, always. */
export class OpenRun {
  /** Where the run stands; null until it was looked at. */
  view: RunView | null = $state.raw(null);
  /** What a decision would be made on. */
  review: Review | null = $state.raw(null);
  /** Why it cannot be looked at. */
  problem: unknown = $state.raw(null);
  /** Somebody is deciding: nothing is changed before their eyes. */
  held = $state(false);
  /** The newest revision that was heard of. */
  newest = $state(0);

  constructor(
    readonly run: string,
    private readonly looking: Looking = { readRun, readReview },
  ) {}

  /** The revision that is shown; 0 before anything is. */
  get revision(): number {
    return this.view?.state.revision ?? 0;
  }

  /** Whether the run has moved on since it was looked at. */
  get moved(): boolean {
    return this.view !== null && this.newest > this.revision;
  }

  /** Look at the run, until view and review tell of the same revision. */
  async look(): Promise<void> {
    try {
      for (let left = TRIES; left > 0; left -= 1) {
        const [view, review] = await Promise.all([this.looking.readRun(this.run), this.looking.readReview(this.run)]);
        if (view.state.revision !== review.revision) continue;
        [this.view, this.review, this.problem] = [view, review, null];
        this.newest = Math.max(this.newest, review.revision);
        return;
      }
    } catch (failure) {
      this.problem = failure;
    }
  }

  /** Somebody says that the run stands at a revision: look, unless a decision is under way. */
  async heard(revision: number): Promise<void> {
    this.newest = Math.max(this.newest, revision);
    if (this.moved && !this.held) await this.look();
  }
}
