import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, makeAddress, setCsrfToken, UNREACHABLE } from "./client";
import { connection } from "./connection.svelte";
import { Problem } from "./saniwa";

type Answer = Response | TypeError;

let asked: { address: string; request: RequestInit }[] = [];

/** A network that gives these answers in their order. */
function network(...answers: Answer[]): void {
  asked = [];
  vi.stubGlobal("fetch", async (address: string, request: RequestInit) => {
    asked.push({ address, request });
    const answer = answers.shift() ?? new TypeError("nobody there");
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

const headersOf = (at: number): Headers => new Headers(asked[at]?.request.headers);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  setCsrfToken("");
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("an address has its parts encoded and leaves out what was not asked", () => {
  expect(makeAddress(["runs", "a/b", 3], { limit: 2, after: undefined })).toBe("/api/v1/runs/a%2Fb/3?limit=2");
});

test("the folders of a file inside a story stay folders", async () => {
  network(json({}));
  await api.readText({ path: { story: "a/b", path: "part one/x.md" } });
  expect(asked[0]?.address).toBe("/api/v1/stories/a%2Fb/files/part%20one/x.md");
});

test("a change carries its revision, a key and the token; a look carries none of them", async () => {
  setCsrfToken("token");
  network(json({}), json({}));
  await api.say({ path: { run: "r" }, revision: 4, body: { text: "look" } });
  await api.listRuns({});
  expect(headersOf(0).get("if-match")).toBe('"4"');
  expect(headersOf(0).get("x-saniwa-csrf")).toBe("token");
  expect(headersOf(0).get("idempotency-key")).toMatch(/^[0-9a-f]{32}$/);
  for (const name of ["if-match", "x-saniwa-csrf", "idempotency-key"]) expect(headersOf(1).get(name)).toBe(null);
});

test("what got lost is sent again under the same key, and the page says so meanwhile", async () => {
  network(new TypeError("lost"), new Response("", { status: 502 }), json({ done: true }));
  const answer = api.beginRun({ body: {} });
  await vi.advanceTimersByTimeAsync(100);
  expect(connection.lost).toBe(true);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await answer).toEqual({ done: true });
  expect(connection.lost).toBe(false);
  expect(new Set([0, 1, 2].map((at) => headersOf(at).get("idempotency-key"))).size).toBe(1);
});

test("who never answers is given up on after some tries", async () => {
  network();
  const answer = api.listRuns({}).catch((failure: unknown) => failure);
  await vi.advanceTimersByTimeAsync(30_000);
  const failure = await answer;
  expect(failure).toBeInstanceOf(Problem);
  expect((failure as Problem).code).toBe(UNREACHABLE);
  expect(asked).toHaveLength(5);
});

test("a problem document becomes an error with code, cure and place", async () => {
  const document = { title: "t", detail: "stale", code: "REVISION_CONFLICT", hint: "look again", where: "x:1", details: { current: 3 } };
  network(json(document, 412, { "content-type": "application/problem+json" }));
  const failure = (await api.listRuns({}).catch((each: unknown) => each)) as Problem;
  expect([failure.status, failure.code, failure.message, failure.hint, failure.where]).toEqual([412, "REVISION_CONFLICT", "stale", "look again", "x:1"]);
  expect(failure.details).toEqual({ current: 3 });
});

test("a failure that is no problem document is told by its status", async () => {
  network(new Response("<html>", { status: 418, headers: { "content-type": "text/html" } }));
  const failure = (await api.listRuns({}).catch((each: unknown) => each)) as Problem;
  expect([failure.status, failure.code, failure.message]).toEqual([418, "", "HTTP 418"]);
});

test("an answer without a body is nothing", async () => {
  network(new Response(null, { status: 204 }));
  expect(await api.removeSave({ path: { run: "r", name: "a" } })).toBe(undefined);
});
