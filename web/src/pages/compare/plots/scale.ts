/** From numbers to places on paper, and the marks of an axis. */

/** Where a number lies between two places. */
export type Scale = (value: number) => number;

/** A straight scale: `from` lies at `begin`, `to` at `end`; what is outside is held at the edge. */
export function makeLinearScale(from: number, to: number, begin: number, end: number): Scale {
  if (to <= from) return () => begin;
  return (value) => {
    const part = Math.min(Math.max((value - from) / (to - from), 0), 1);
    return begin + part * (end - begin);
  };
}

const ROUND = [1, 2, 2.5, 5, 10];

/** The smallest round step that needs no more than so many of it to reach `span`. */
export function roundStep(span: number, most: number): number {
  if (!(span > 0) || most < 1) return 1;
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ROUND.find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** An axis that begins at 0: its end is round, and so are its marks. */
export type Axis = { to: number; marks: number[] };

/** The axis for some numbers; shares end at 1 at the latest. */
export function makeAxis(values: readonly number[], { most = 4, share = false } = {}): Axis {
  const farthest = Math.max(0, ...values.filter(Number.isFinite));
  const reach = farthest > 0 ? farthest : 1;
  const step = roundStep(share ? Math.min(reach, 1) : reach, most);
  const count = Math.max(Math.ceil(reach / step - 1e-9), 1);
  const to = share ? Math.min(count * step, 1) : count * step;
  const marks = Array.from({ length: count + 1 }, (_, nth) => tidy(Math.min(nth * step, to)));
  return { to: tidy(to), marks: [...new Set(marks)] };
}

/** Without what a machine adds in the last digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
