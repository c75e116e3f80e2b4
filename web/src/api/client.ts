/**
 * Asking the server: JSON both ways, problems as errors, changes that count once.
 *
 * A request that gets lost is sent again with the same key, so the server either answers
 * for the first time or repeats its first answer; nothing happens twice.
 */

import { connection } from "./connection.svelte";
import { freshKey } from "./key";
import { Problem, problemOf, UNREACHABLE } from "./problem";

/** Below which every path of the API lies. */
export const ROOT = "/api/v1";

/** What may come with a request. */
export type Asking = {
  /** Sent as JSON. */
  body?: unknown;
  /** The revision a change is made on: `If-Match`. */
  revision?: number;
  /** Which change this is; one is made where a change has none. */
  key?: string;
  /** After the question mark; what is undefined is left out. */
  query?: Record<string, string | number | boolean | undefined>;
  signal?: AbortSignal;
};

/** What came back: the body, and the revision (`ETag`) where the answer has one. */
export type Answered<T> = { body: T; revision: number | null };

type Method = "GET" | "POST" | "PUT" | "DELETE";

const GAPS = [300, 900, 2000, 4000];
const GATEWAY = new Set([502, 503, 504]);

let csrf = "";

/** Remember the token that changes must carry; it comes with `GET /`. */
export function carry(token: string): void {
  csrf = token;
}

/** The address of a path of the API: `addressOf(["runs", id], { limit: 20 })`. */
export function addressOf(path: readonly (string | number)[], query: Asking["query"] = {}): string {
  const parts = path.map((part) => encodeURIComponent(part)).join("/");
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) asked.set(name, String(value));
  return `${ROOT}/${parts}${asked.size > 0 ? `?${asked}` : ""}`;
}

/** Ask, and wait for the answer. Anything but a success is thrown as a `Problem`. */
export async function ask<T>(
  method: Method,
  path: readonly (string | number)[],
  asking: Asking = {},
): Promise<Answered<T>> {
  const answer = await reach(addressOf(path, asking.query), prepared(method, asking));
  if (!answer.ok) throw await problemOf(answer);
  const revision = revisionOf(answer.headers.get("etag"));
  const body = answer.status === 204 ? undefined : await answer.json();
  return { body: body as T, revision };
}

/** `GET`, and only the body of the answer. */
export async function fetched<T>(
  path: readonly (string | number)[],
  asking: Omit<Asking, "body"> = {},
): Promise<T> {
  return (await ask<T>("GET", path, asking)).body;
}

/** See whether the server answers, and tell everybody. */
export async function knock(): Promise<boolean> {
  connection.lost = (await tried(`${ROOT}/`, { cache: "no-store" })) === null;
  return !connection.lost;
}

function prepared(method: Method, asking: Asking): RequestInit {
  const headers = new Headers({ accept: "application/json" });
  if (asking.body !== undefined) headers.set("content-type", "application/json");
  if (asking.revision !== undefined) headers.set("if-match", `"${asking.revision}"`);
  if (method !== "GET") {
    headers.set("idempotency-key", asking.key ?? freshKey());
    if (csrf) headers.set("x-saniwa-csrf", csrf);
  }
  const request: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
  if (asking.body !== undefined) request.body = JSON.stringify(asking.body);
  if (asking.signal) request.signal = asking.signal;
  return request;
}

async function reach(address: string, request: RequestInit): Promise<Response> {
  for (const gap of [...GAPS, null]) {
    const answer = await tried(address, request);
    connection.lost = answer === null;
    if (answer !== null) return answer;
    if (gap !== null) await pause(gap, request.signal);
  }
  throw new Problem(0, { code: UNREACHABLE, detail: "the server does not answer", recoverable: true });
}

/** One try; null where nobody answered and it may be tried again. */
async function tried(address: string, request: RequestInit): Promise<Response | null> {
  try {
    const answer = await fetch(address, request);
    const ours = (answer.headers.get("content-type") ?? "").includes("problem+json");
    return GATEWAY.has(answer.status) && !ours ? null : answer;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    return null;
  }
}

function pause(gap: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((done, stop) => {
    const timer = setTimeout(done, gap);
    signal?.addEventListener("abort", () => (clearTimeout(timer), stop(signal.reason)), { once: true });
  });
}

function revisionOf(tag: string | null): number | null {
  const number = /^(?:W\/)?"(\d+)"$/.exec(tag ?? "")?.[1];
  return number === undefined ? null : Number(number);
}
