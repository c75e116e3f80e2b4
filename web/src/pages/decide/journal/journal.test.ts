import { expect, test } from "vitest";
import { formatDuration, listSpending, makeCallPath, mergeIterations, readCallPlace, readFilter, type Filter, type Iteration, type JournalPage, type Overview } from "./journal";
import { OpenJournal } from "./openJournal.svelte";

const ID = "agent-01a1eed1-901d-74e9-9027-6a79e3f62d59";
const ALL: Filter = { tool: "", refused: false, iteration: 0 };
const part = (number: number, ended = 0): Iteration => ({ number, iteration: number, ended }) as Iteration;

test("a call names its journal and its iteration, and nothing else does", () => {
  expect(readCallPlace(`${ID}:3:tool-1`)).toEqual({ journal: ID, iteration: 3 });
  expect(makeCallPath(`${ID}:3:tool-1`)).toBe(`/decide/journals/${ID}?call=${ID}%3A3%3Atool-1`);
  for (const other of ["", ID, `${ID}:3:0`, `../x:3:tool-1`, `x${ID}:3:tool-1`]) expect(makeCallPath(other)).toBe("");
});

test("a query says which iterations are shown, and a call in it wins", () => {
  expect(readFilter(new URLSearchParams({ tool: "Read", refused: "1" }))).toEqual({ tool: "Read", refused: true, iteration: 0 });
  expect(readFilter(new URLSearchParams({ tool: "Read", call: `${ID}:3:tool-1` }))).toEqual({ ...ALL, iteration: 3 });
  expect(readFilter(new URLSearchParams({ call: "x" }))).toEqual(ALL);
});

test("each part is shown once, as it is now, the newest first", () => {
  const merged = mergeIterations([part(2), part(1)], [part(3), part(2, 9)]);
  expect(merged.map((each) => [each.number, each.ended])).toEqual([[3, 0], [2, 9], [1, 0]]);
});

test("times are told in units that fit", () => {
  expect([0, 999, 3400, 59_940, 125_000, 3_720_000].map(formatDuration)).toEqual(["0 ms", "999 ms", "3.4 s", "59.9 s", "2 min 5 s", "1 h 2 min"]);
});

test("what is spent stands beside its limit, where there is one", () => {
  const usage = { calls: 3, input_tokens: 1200, output_tokens: 34, cost: 12_300, unpriced: 0, tool_calls: 2 };
  const told = listSpending({ iterations: 4, usage, limits: { maxIterations: 100, maxCost: 0.5 } as Record<string, number> } as Overview);
  expect(told.map((each) => [each.of, each.spent, each.most])).toEqual([
    ["iterations", "4", "100"],
    ["toolCalls", "2", ""],
    ["requests", "3", ""],
    ["tokens", "1,234", ""],
    ["cost", "$0.0123", "$0.5"],
  ]);
});

/** A journal with so many parts, read two at a time; every request is counted. */
function growing(): { parts: number; asked: string[]; read: (id: string, filter: Filter, after?: string) => Promise<JournalPage> } {
  const journal = {
    parts: 5,
    asked: [] as string[],
    read: async (_: string, __: Filter, after = "") => {
      journal.asked.push(after);
      const top = after === "" ? journal.parts : Number(after);
      const items = [top - 1, top - 2].filter((each) => each >= 0).map((each) => part(each));
      const last = items.at(-1)?.number ?? 0;
      return { journal: { entries: journal.parts } as Overview, items, next: last > 0 ? String(last) : null };
    },
  };
  return journal;
}

test("new iterations are fetched until they meet those that are known", async () => {
  const journal = growing();
  const open = new OpenJournal(ID, ALL, journal.read);
  await open.look();
  journal.parts = 8;
  await open.heard(8);
  expect(open.items.map((each) => each.number)).toEqual([7, 6, 5, 4, 3]);
  expect([open.next, open.overview?.entries]).toEqual(["3", 8]);
  await open.lookBack();
  expect(open.items.map((each) => each.number)).toEqual([7, 6, 5, 4, 3, 2, 1]);
});

test("many notices at once make two requests, and a number that is known makes none", async () => {
  const journal = growing();
  const open = new OpenJournal(ID, ALL, journal.read);
  await Promise.all([open.look(), open.heard(6), open.heard(7), open.heard(8)]);
  const before = journal.asked.length;
  await open.heard(5);
  expect([before, journal.asked.length]).toEqual([2, 2]);
});

test("a journal that cannot be read says why, and what was shown stays", async () => {
  const journal = growing();
  const open = new OpenJournal(ID, ALL, (...asked) => (journal.asked.length > 0 ? Promise.reject(new Error("gone")) : journal.read(...asked)));
  await open.look();
  await open.look();
  expect(String(open.problem)).toContain("gone");
  expect(open.items.length).toBe(2);
});
