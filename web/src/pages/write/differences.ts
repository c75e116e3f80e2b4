/** Where two texts differ, line by line. */

/** A line of one of the two, and whether the other has it too. */
export type Line = { text: string; own: boolean };

/** Both texts in lines; what stands between their common beginning and end is each one's own. */
export function listDifferences(mine: string, theirs: string): [Line[], Line[]] {
  const a = mine.split("\n");
  const b = theirs.split("\n");
  const shorter = Math.min(a.length, b.length);
  let first = 0;
  while (first < shorter && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < shorter - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last += 1;
  return [told(a, b, first, last), told(b, a, first, last)];
}

/** What is worth seeing of such lines: those of its own, and a few around them. */
export function clipAround(lines: readonly Line[], few = 3): { before: number; shown: Line[]; after: number } {
  const first = lines.findIndex((line) => line.own);
  const last = lines.findLastIndex((line) => line.own);
  if (first < 0) return { before: 0, shown: [...lines], after: 0 };
  const from = Math.max(first - few, 0);
  const to = Math.min(last + few + 1, lines.length);
  return { before: from, shown: lines.slice(from, to), after: lines.length - to };
}

function told(lines: readonly string[], others: readonly string[], first: number, last: number): Line[] {
  const known = new Set(others.slice(first, others.length - last));
  return lines.map((text, at) => ({ text, own: at >= first && at < lines.length - last && !known.has(text) }));
}
