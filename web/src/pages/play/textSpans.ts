/** Text that an author marked: cut into pieces that are shown alike. */

/** How some characters of a text are marked; counted in Unicode code points. */
export type Span = { start: number; end: number; kind: "emphasis" | "strong" | "code" };

/** Some characters that are shown alike. */
export type Piece = { text: string; emphasis: boolean; strong: boolean; code: boolean };

/** The pieces of a text, from the first to the last; a text without marks is one. */
export function cutPieces(text: string, spans: readonly Span[] = []): Piece[] {
  if (spans.length === 0) return [{ text, emphasis: false, strong: false, code: false }];
  const points = [...text];
  const edges = new Set([0, points.length, ...spans.flatMap(({ start, end }) => [start, end])]);
  const cuts = [...edges].filter((at) => at >= 0 && at <= points.length).sort((a, b) => a - b);
  const pieces: Piece[] = [];
  for (const [nth, begin] of cuts.slice(0, -1).entries()) {
    const within = spans.filter(({ start, end }) => start <= begin && begin < end);
    const has = (kind: Span["kind"]): boolean => within.some((span) => span.kind === kind);
    const piece = points.slice(begin, cuts[nth + 1]).join("");
    pieces.push({ text: piece, emphasis: has("emphasis"), strong: has("strong"), code: has("code") });
  }
  return pieces;
}

/** The same pieces up to a place, counted as JavaScript counts a string, and those after it. */
export function partPieces(pieces: readonly Piece[], at: number): [Piece[], Piece[]] {
  const before: Piece[] = [];
  const after: Piece[] = [];
  let begin = 0;
  for (const piece of pieces) {
    const seen = Math.max(0, Math.min(piece.text.length, at - begin));
    if (seen > 0) before.push({ ...piece, text: piece.text.slice(0, seen) });
    if (seen < piece.text.length) after.push({ ...piece, text: piece.text.slice(seen) });
    begin += piece.text.length;
  }
  return [before, after];
}
