/** Names that files can have. */

import type { Kind } from "./calls";

/** A name made of a title: small letters, and `-` or `_` for blanks; of what has none of them, nothing. */
export function nameFor(kind: Kind, title: string): string {
  const gap = kind === "story" ? "-" : "_";
  const plain = title.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, gap)
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, 50);
}
