/** One journal that is looked at: it grows while its agent works. */

import { readJournal } from "./calls";
import { mergeIterations, type Filter, type Iteration, type JournalPage, type Overview } from "./journal";

type Reading = (journal: string, filter: Filter, after?: string) => Promise<JournalPage>;

/** A journal, as far as it was fetched. At most one request is under way. */
export class OpenJournal {
  /** Whose it is, and its totals; null until it was read. */
  overview: Overview | null = $state.raw(null);
  /** The iterations, the newest first. */
  items: Iteration[] = $state.raw([]);
  /** Where older iterations go on; null at the end. */
  next: string | null = $state(null);
  /** Why it cannot be read. */
  problem: unknown = $state.raw(null);
  #busy = false;
  #again = false;

  constructor(
    readonly id: string,
    readonly filter: Filter,
    private readonly read: Reading = readJournal,
  ) {}

  /** Fetch what is new. Asked again meanwhile, it looks once more, and not more often. */
  async look(): Promise<void> {
    this.#again = true;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#catchUp();
      }
      this.problem = null;
    } catch (failure) {
      this.problem = failure;
    }
    this.#busy = false;
  }

  /** The server says how many entries there are: look, if it is another number. */
  async heard(entries: number): Promise<void> {
    if (entries !== this.overview?.entries) await this.look();
  }

  /** Fetch older iterations. */
  async lookBack(): Promise<void> {
    if (this.next === null) return;
    const page = await this.read(this.id, this.filter, this.next);
    this.items = mergeIterations(this.items, page.items);
    this.next = page.next;
  }

  async #catchUp(): Promise<void> {
    const newest = this.items[0]?.number ?? -1;
    const first = this.overview === null;
    let page = await this.read(this.id, this.filter);
    const fresh = [...page.items];
    // The newest part that is known may have grown: it is fetched again.
    while (!first && page.next !== null && Number(page.next) > newest) {
      page = await this.read(this.id, this.filter, page.next);
      fresh.push(...page.items);
    }
    if (first || (this.items.length === 0 && page.items.length > 0)) this.next = page.next;
    this.overview = page.journal;
    this.items = mergeIterations(this.items, fresh);
  }
}
