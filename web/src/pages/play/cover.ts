/** A small box garden drawn for every story: the same name, the same garden. */

/** A stone in the sand. */
export type Stone = { x: number; y: number; width: number; height: number; lean: number };

/** What is in the box, on a field of 320 by 160. */
export type Cover = {
  /** Where the sun or moon stands. */
  sun: { x: number; y: number; size: number };
  /** Hills behind, as closed paths, the farthest first. */
  hills: string[];
  /** Lines raked into the sand. */
  ripples: string[];
  stones: Stone[];
  /** Tufts of moss. */
  moss: { x: number; y: number; size: number }[];
  /** One of four moods, for the colours. */
  mood: 0 | 1 | 2 | 3;
};

/** Numbers between 0 and 1 that a name always gives in the same order. */
function dice(name: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of name) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    state ^= state >>> 15;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The garden of a name. */
export function drawCover(name: string): Cover {
  const roll = dice(name);
  const between = (low: number, high: number): number => Math.round(low + roll() * (high - low));
  const mood = Math.floor(roll() * 4) as Cover["mood"];
  const sun = { x: between(50, 270), y: between(26, 58), size: between(13, 24) };
  const hills = [0, 1].map((row) => hill(70 + row * 18, between, row));
  const ripples = Array.from({ length: 6 }, (_, row) => ripple(112 + row * 9, between(0, 60)));
  const count = between(2, 4);
  // Each stone has a stretch of sand to itself, so that none stands inside another.
  const stones = Array.from({ length: count }, (_, at) => stone(between, 30 + (260 / count) * at, 260 / count));
  const moss = Array.from({ length: between(1, 3) }, () => ({ x: between(20, 300), y: between(118, 150), size: between(6, 13) }));
  return { sun, hills, ripples, stones: stones.sort((a, b) => a.y - b.y), moss, mood };
}

type Between = (low: number, high: number) => number;

function hill(top: number, between: Between, row: number): string {
  const middle = between(90, 230);
  const peak = top - between(8, 34);
  const shoulder = top - between(0, 14);
  return `M0 ${shoulder} C ${middle - 90} ${shoulder} ${middle - 50} ${peak} ${middle} ${peak} S ${middle + 90} ${top} 320 ${top - row * 6} V 160 H 0 Z`;
}

function ripple(y: number, shift: number): string {
  return `M${-60 + shift} ${y} q 40 -7 80 0 t 80 0 t 80 0 t 80 0 t 80 0`;
}

function stone(between: Between, from: number, room: number): Stone {
  const width = between(22, Math.min(54, room - 10));
  const spare = room - width;
  return { x: Math.round(from + width / 2 + (spare * between(0, 100)) / 100), y: between(112, 140), width, height: Math.round(width * (between(48, 88) / 100)), lean: between(-12, 12) };
}
