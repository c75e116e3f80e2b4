/** Numbers as readers see them: few digits, a unit, a real minus. */

/** What a number is measured in. */
export type Unit = "rate" | "count" | "score" | "ms" | "tokens" | "usd";

/** The languages of the page. */
type Language = "en" | "ja";

/** Where there is nothing to count. */
export const NOTHING = "–";

const DIGITS: Record<Unit, number> = { rate: 1, count: 2, score: 3, ms: 0, tokens: 1, usd: 6 };
const TINY = 0.001;

/** A value with its unit. */
export function formatFigure(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const shown = digits(unit === "rate" ? value * 100 : value, DIGITS[unit]);
  if (unit === "rate") return `${shown} %`;
  if (unit === "ms") return `${shown} ms`;
  return unit === "usd" ? `$${shown}` : shown;
}

/** A difference of two values, with its sign; shares differ by percentage points. */
export function formatChange(value: number | null | undefined, unit: Unit, language: Language = "en"): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const points = language === "ja" ? "ポイント" : "pp";
  const text = unit === "rate" ? `${digits(value * 100, 1)} ${points}` : formatFigure(value, unit);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** Both ends of an interval; empty where there is none. */
export function formatInterval(
  low: number | null | undefined,
  high: number | null | undefined,
  told: (value: number) => string,
  language: Language = "en",
): string {
  if (low === null || high === null || low === undefined || high === undefined) return "";
  return language === "ja" ? `${told(low)}〜${told(high)}` : `${told(low)} to ${told(high)}`;
}

/** A probability as papers write it. */
export function formatProbability(p: number | null | undefined): string {
  if (p === null || p === undefined) return NOTHING;
  return p < TINY ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** A mark of an axis: no more digits than it needs. */
export function formatMark(value: number, unit: Unit): string {
  if (unit === "rate") return `${Number((value * 100).toPrecision(6))} %`;
  const plain = Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 8 });
  return unit === "usd" ? `$${plain}` : plain.replace("-", "−");
}

/** So many digits behind the point; a zero has no sign. */
function digits(value: number, count: number): string {
  const [whole = "", rest] = rounded(Math.abs(value), count).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const text = rest === undefined ? grouped : `${grouped}.${rest}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

const FAR = 30;
const HALF = `5${"0".repeat(FAR - 1)}`;

/** Rounded as the reports are, where what lies exactly between two goes to the even one: 0.125 is 0.12. */
function rounded(value: number, count: number): string {
  const usual = value.toFixed(count);
  const long = value.toFixed(count + FAR);
  if (!long.endsWith(HALF)) return usual;
  const below = long.slice(0, -FAR).replace(/\.$/, "");
  return /[02468]$/.test(below) ? below : usual;
}
