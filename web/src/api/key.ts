/** Names for requests, so that one sent twice counts once. */

/** A fresh key. Also where the page came over plain HTTP, and browsers offer no UUIDs. */
export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
