/** Names that files can have. */

import type { Kind } from "./calls";

/** A name made of a title: small letters, and `-` or `_` for blanks. A world's has plain letters only. */
export function makeFileName(kind: Kind, title: string): string {
  const plain = title.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC").toLowerCase();
  const joined = kind === "story" ? plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-") : plain.replace(/[^a-z0-9]+/g, "_");
  return [...joined.replace(/^[-_]+|[-_]+$/g, "")].slice(0, 50).join("");
}
