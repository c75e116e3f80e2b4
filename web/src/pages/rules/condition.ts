/** Conditions as people read them: one line, and the short form they are written in. */

type Parts = Record<string, unknown>;

function isParts(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A condition in its full form as one line: `inScope(target) and not locked(door)`. */
export function describeCondition(condition: unknown): string {
  return told(condition, false);
}

function told(condition: unknown, within: boolean): string {
  if (typeof condition === "string") return condition;
  if (!isParts(condition)) return JSON.stringify(condition ?? null);
  const { op, condition: inner, conditions, ...args } = condition;
  if (op === "not") return `not ${told(inner, true)}`;
  if ((op === "and" || op === "or") && Array.isArray(conditions)) {
    const joined = conditions.map((part) => told(part, true)).join(` ${op} `);
    return within && conditions.length > 1 ? `(${joined})` : joined;
  }
  return `${String(op)}${sayArguments(args)}`;
}

function sayArguments(args: Parts): string {
  const entries = Object.entries(args);
  if (entries.length === 0) return "";
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === "string") return `(${only[1]})`;
  return `(${entries.map(([name, value]) => `${name}: ${sayArgument(value)}`).join(", ")})`;
}

function sayArgument(value: unknown): string {
  if (Array.isArray(value)) return value.map(sayArgument).join(" / ");
  return isParts(value) ? JSON.stringify(value) : String(value);
}

/** The same as an author would write it: `{not: {locked: door}}`. */
export function abbreviateCondition(condition: unknown): unknown {
  if (!isParts(condition) || typeof condition["op"] !== "string") return condition;
  const { op, condition: inner, conditions, ...args } = condition;
  if (op === "not") return { not: abbreviateCondition(inner) };
  if (Array.isArray(conditions)) return { [op as string]: conditions.map(abbreviateCondition) };
  const entries = Object.entries(args);
  const [only] = entries;
  if (only === undefined) return op;
  const plain = entries.length === 1 && only[0] === "role" && typeof only[1] === "string";
  return { [op as string]: plain ? only[1] : args };
}
