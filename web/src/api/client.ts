/**
 * The page's connection to the server: the generated client, with retries and the CSRF token.
 *
 * A lost request is sent again with the same key, so that the server either answers for the
 * first time or repeats its first answer; nothing happens twice.
 */

import { settings } from "../app/settings.svelte";
import { connection } from "./connection.svelte";
import { Problem, Saniwa, type Send } from "./saniwa";

/** The root of every path of the API. */
export const ROOT = "/api/v1";
/** The code of a request that never reached the server, or whose answer never came. */
export const UNREACHABLE = "unreachable";

const RETRY_DELAYS = [300, 900, 2000, 4000];
const GATEWAY_STATUSES = new Set([502, 503, 504]);

let csrfToken = "";

/** Set the token that every change must carry; it comes with `GET /`. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Make a key for a change. Also over plain HTTP, where browsers offer no UUIDs. */
export function makeRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Make an address of the API for files and streams: `makeAddress(["runs", id], { limit: 20 })`. */
export function makeAddress(
  path: readonly (string | number)[],
  query: Record<string, string | number | boolean | undefined> = {},
): string {
  const parts = path.map((part) => encodeURIComponent(part)).join("/");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return `${ROOT}/${parts}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

/** Make a cursor of the text that a list answered with as `next`. */
export function toCursor(next: string | undefined): number | undefined {
  return next === undefined ? undefined : Number(next);
}

/** Check whether the server answers, and show it on the page. */
export async function checkConnection(): Promise<boolean> {
  connection.lost = (await tryFetch(`${ROOT}/`, { cache: "no-store" })) === null;
  return !connection.lost;
}

const send: Send = async (address, request) => {
  request.headers.set("accept-language", settings.language);
  if (request.method !== "GET") {
    if (!request.headers.has("idempotency-key")) request.headers.set("idempotency-key", makeRequestKey());
    if (csrfToken) request.headers.set("x-saniwa-csrf", csrfToken);
  }
  for (const delay of [...RETRY_DELAYS, null]) {
    const response = await tryFetch(address, { ...request, credentials: "same-origin", cache: "no-store" });
    connection.lost = response === null;
    if (response !== null) return response;
    if (delay !== null) await waitFor(delay, request.signal);
  }
  throw new Problem(0, { code: UNREACHABLE, detail: "the server does not answer", recoverable: true });
};

/** The server's operations. */
export const api = new Saniwa("", { send });

/** Fetch once; null if there was no answer and the request may be sent again. */
async function tryFetch(address: string, request: RequestInit): Promise<Response | null> {
  try {
    const response = await fetch(address, request);
    const isProblem = (response.headers.get("content-type") ?? "").includes("problem+json");
    return GATEWAY_STATUSES.has(response.status) && !isProblem ? null : response;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    return null;
  }
}

function waitFor(delay: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delay);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
