/** Refusals by code, put on top of each other. */

/** One piece of a pile: from `from` to `to`, both counted from its foot. */
export type Slice = { code: string; count: number; from: number; to: number };

/** One pile. */
export type Pile = { slices: Slice[]; height: number; count: number };

/** Pile up what was counted, in the order of the codes; `turns` is what it is a share of. */
export function stackBars(counts: Readonly<Record<string, number>>, codes: readonly string[], turns: number): Pile {
  const slices: Slice[] = [];
  let from = 0;
  let count = 0;
  for (const code of codes) {
    const found = counts[code] ?? 0;
    if (found <= 0 || turns <= 0) continue;
    const to = from + found / turns;
    slices.push({ code, count: found, from, to });
    from = to;
    count += found;
  }
  return { slices, height: turns > 0 ? count / turns : 0, count };
}

/** The codes that came at all, in order; each keeps its place among all of them. */
export function listCodes(
  tallies: readonly Readonly<Record<string, number>>[],
  codes: readonly string[],
): { code: string; place: number }[] {
  return codes
    .map((code, place) => ({ code, place }))
    .filter(({ code }) => tallies.some((tally) => (tally[code] ?? 0) > 0));
}

/** What a step of a course is called: its turn, or its turns where several share one. Turns are told from 1. */
export function nameStep(first: number, last: number): string {
  return first === last ? String(first + 1) : `${first + 1}–${last + 1}`;
}
