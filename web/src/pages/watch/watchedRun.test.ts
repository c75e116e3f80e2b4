import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem } from "../../api/saniwa";
import { WatchedRun } from "./watchedRun.svelte";

type Reply = (response: Response) => void;

let held: Reply[] = [];

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": status < 300 ? "application/json" : "application/problem+json" },
  });
const view = (turns: number): Response => json({ line: { id: "r", kind: "scenario", turns } });
const page = (...numbers: number[]): Response => json({ items: numbers.map((number) => ({ number })), next: null });
const refusal = (): Response => json({ code: "RUN_NOT_FOUND", detail: "there is no such run" }, 404);

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

/** Answer the first question that is held, and let come what comes of it. */
async function answer(response: Response): Promise<void> {
  held.shift()?.(response);
  await settled();
}

/** Answer two questions about the run, the newer one first. */
async function overtaken(newer: Response, older: Response): Promise<void> {
  const [first, second] = held;
  second?.(newer);
  await settled();
  first?.(older);
  await settled();
}

beforeEach(() => {
  held = [];
  vi.stubGlobal("fetch", () => new Promise<Response>((reply) => held.push(reply)));
});
afterEach(() => void vi.unstubAllGlobals());

test("an answer that was overtaken is no news", async () => {
  const watching = new WatchedRun("r", null);
  void watching.refresh();
  void watching.refresh();
  await overtaken(view(5), view(4));
  expect(watching.count).toBe(5);
});

test("a failure that was overtaken is not told", async () => {
  const watching = new WatchedRun("r", null);
  void watching.refresh();
  void watching.refresh();
  await overtaken(view(5), refusal());
  expect(watching.problem).toBeNull();
});

test("turns that cannot be listed are told on the page", async () => {
  const watching = new WatchedRun("r", null);
  const seeking = watching.seek({ q: "key" });
  await answer(refusal());
  await seeking;
  expect(watching.problem).toBeInstanceOf(Problem);
  expect(watching.listing).toBe(false);
});

test("more turns that cannot be had are told on the page", async () => {
  const watching = new WatchedRun("r", null);
  const more = watching.more("9");
  await answer(refusal());
  await more;
  expect(watching.problem).toBeInstanceOf(Problem);
});

test("more of an old search is not put behind a new one", async () => {
  const watching = new WatchedRun("r", null);
  const more = watching.more("9");
  const seeking = watching.seek({ q: "key" });
  held.reverse();
  await answer(page(7));
  await seeking;
  await answer(page(2, 1));
  await more;
  expect(watching.lines.map(({ number }) => number)).toEqual([7]);
});
