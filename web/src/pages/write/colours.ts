/** What the letters of a text are, line by line, so that they can be coloured. */

import type { Mark } from "./calls";
import { isWithin } from "./places";

/** What a piece of a line is. */
export type Sort =
  | "plain"
  | "front"
  | "heading"
  | "bullet"
  | "speaker"
  | "command"
  | "link"
  | "brace"
  | "comment"
  | "block"
  | "key"
  | "text"
  | "value";

/** A piece of a line, and the worst that was found in it. */
export type Piece = { text: string; sort: Sort; mark: Mark["severity"] | "" };

/** A line, in pieces, and the worst that was found on it. */
export type Row = { pieces: readonly Piece[]; worst: Mark["severity"] | "" };

/** What kind of text it is. */
export type Tongue = "story" | "yaml" | "json" | "plain";

/** Where a line stands in what reaches over several. */
type State = "" | "front" | "comment" | "code" | `fold${number}`;

type Coloured = { pieces: readonly Piece[]; after: State };

const INLINE = /<!--.*?(?:-->|$)|\[[A-Z][A-Z0-9_]*(?:\s[^\]]*)?\]|\[[^\]\n]*\]\([^)\n]*\)|\{[^{}\n]*\}/g;
const YAML = /(#.*$)|((?<![\p{L}\p{N}])(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?))|([^\s#:,{}[\]"'-](?:[^#:,{}[\]"']|(?<=[\p{L}\p{N}])['"])*?)(?=\s*:(?:\s|$))|(?<![\w.-])(-?\d+(?:\.\d+)?|true|false|null)(?![\w.-])/gu;
const FOLDS = /[:-]\s+[>|][+-]?\d?\s*(?:#.*)?$/;
const JSON_PARTS = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(?<!\w)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?!\w)/g;
const SPEAKER = /^(\s*)([^:：[\]{}#>|]{1,40}?)\s?[:：]/;
const WORST = { "": 0, note: 1, warning: 2, error: 3 } as const;
const MOST_KEPT = 20_000;

/** Colours texts, and remembers lines it has seen. */
export class Colours {
  private kept = new Map<string, Coloured>();

  /** The rows of a text; `speakers` are those who are known to speak in it. */
  rows(text: string, tongue: Tongue, speakers: ReadonlySet<string>, marks: readonly Mark[]): Row[] {
    const found = byLine(marks);
    let state: State = "";
    return text.split("\n").map((line, number) => {
      if (number === 0 && tongue === "story" && line === "---") state = "front";
      const coloured = this.line(line, tongue, state, number, speakers);
      state = coloured.after;
      const here = found.get(number + 1);
      return here === undefined ? { pieces: coloured.pieces, worst: "" } : marked(line, coloured.pieces, here);
    });
  }

  private line(line: string, tongue: Tongue, state: State, number: number, speakers: ReadonlySet<string>): Coloured {
    const who = tongue === "story" && state === "" ? (SPEAKER.exec(line)?.[2]?.trim() ?? "") : "";
    const speaks = who !== "" && speakers.has(who);
    const key = `${tongue}${state}${speaks ? 1 : 0}${state === "front" && number === 0 ? 0 : 1}\n${line}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.kept.size > MOST_KEPT) this.kept.clear();
    const made = colour(line, tongue, state, number, speaks);
    this.kept.set(key, made);
    return made;
  }
}

function colour(line: string, tongue: Tongue, state: State, number: number, speaks: boolean): Coloured {
  if (tongue === "yaml") return folded(line, state);
  if (tongue === "json") return { pieces: json(line), after: "" };
  return tongue === "story" ? story(line, state, number, speaks) : { pieces: [piece(line)], after: "" };
}

/** A line of YAML, which may belong to a text of several lines that began above it. */
function folded(line: string, state: State): Coloured {
  const deep = line.length - line.trimStart().length;
  const inside = state.startsWith("fold") && (line.trim() === "" || deep > Number(state.slice(4)));
  if (inside) return { pieces: [piece(line, "text")], after: state };
  return { pieces: yaml(line), after: FOLDS.test(line) ? `fold${deep}` : "" };
}

function story(line: string, state: State, number: number, speaks: boolean): Coloured {
  if (state === "front") {
    const fence = line === "---" || line === "...";
    return { pieces: fence ? [piece(line, "front")] : yaml(line), after: fence && number > 0 ? "" : "front" };
  }
  if (state === "comment") return endOfComment(line);
  if (/^\s*```/.test(line)) return { pieces: [piece(line, "block")], after: state === "code" ? "" : "code" };
  if (state === "code") return { pieces: [piece(line)], after: "code" };
  const after: State = line.lastIndexOf("<!--") > line.lastIndexOf("-->") ? "comment" : "";
  if (/^\s*:::/.test(line)) return { pieces: [piece(line, "block")], after };
  const heading = /^#{1,6}\s/.test(line);
  if (heading) return { pieces: inline(line, "heading"), after };
  return { pieces: [...led(line, speaks)], after };
}

function endOfComment(line: string): Coloured {
  const end = line.indexOf("-->");
  if (end < 0) return { pieces: [piece(line, "comment")], after: "comment" };
  return { pieces: [piece(line.slice(0, end + 3), "comment"), ...inline(line.slice(end + 3))], after: "" };
}

/** A line that may begin with a bullet or a speaker. */
function* led(line: string, speaks: boolean): Generator<Piece> {
  const bullet = /^(\s*)([-*+]|\d+[.)])(?=\s)/.exec(line);
  if (bullet) {
    yield piece(bullet[0], "bullet");
    yield* inline(line.slice(bullet[0].length));
    return;
  }
  const said = speaks ? SPEAKER.exec(line) : null;
  if (said) yield piece(said[0], "speaker");
  yield* inline(line.slice(said?.[0].length ?? 0));
}

function inline(line: string, otherwise: Sort = "plain"): Piece[] {
  return split(line, INLINE, otherwise, ([whole]) => {
    if (whole.startsWith("<!--")) return "comment";
    if (whole.startsWith("{")) return "brace";
    return whole.endsWith(")") ? "link" : "command";
  });
}

function yaml(line: string): Piece[] {
  return split(line, YAML, "plain", ([, comment, text, key]) =>
    comment !== undefined ? "comment" : text !== undefined ? "text" : key !== undefined ? "key" : "value",
  );
}

function json(line: string): Piece[] {
  return split(line, JSON_PARTS, "plain", ([, text, colon]) =>
    text === undefined ? "value" : colon === undefined ? "text" : "key",
  );
}

function split(line: string, parts: RegExp, otherwise: Sort, sortOf: (found: RegExpMatchArray) => Sort): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of line.matchAll(parts)) {
    if (found.index > at) pieces.push(piece(line.slice(at, found.index), otherwise));
    pieces.push(piece(found[0], sortOf(found)));
    at = found.index + found[0].length;
  }
  if (at < line.length || pieces.length === 0) pieces.push(piece(line.slice(at), otherwise));
  return pieces;
}

function piece(text: string, sort: Sort = "plain"): Piece {
  return { text, sort, mark: "" };
}

function byLine(marks: readonly Mark[]): Map<number, Mark[]> {
  const found = new Map<number, Mark[]>();
  for (const mark of marks) {
    if (mark.file || mark.line < 1) continue;
    const here = found.get(mark.line);
    if (here) here.push(mark);
    else found.set(mark.line, [mark]);
  }
  return found;
}

/** The same line, cut where findings begin and end. */
function marked(line: string, pieces: readonly Piece[], marks: readonly Mark[]): Row {
  const spans = marks.map((mark) => {
    const from = isWithin(line, Math.max(mark.column, 1));
    const to = mark.end > 0 ? isWithin(line, mark.end) : line.length;
    return { from, to: Math.max(to, from + 1), severity: mark.severity };
  });
  const cuts = new Set(spans.flatMap(({ from, to }) => [from, to]));
  const made: Piece[] = [];
  let at = 0;
  for (const whole of pieces) {
    let begin = 0;
    for (let here = 1; here <= whole.text.length; here += 1) {
      if (here < whole.text.length && !cuts.has(at + here)) continue;
      const over = spans.filter(({ from, to }) => from < at + here && to > at + begin);
      made.push({ text: whole.text.slice(begin, here), sort: whole.sort, mark: findWorst(over.map((each) => each.severity)) });
      begin = here;
    }
    at += whole.text.length;
  }
  return { pieces: made.length > 0 ? made : pieces, worst: findWorst(marks.map((mark) => mark.severity)) };
}

/** The worst of some severities; empty for none. */
export function findWorst(severities: readonly Mark["severity"][]): Mark["severity"] | "" {
  let worst: Mark["severity"] | "" = "";
  for (const each of severities) if (WORST[each] > WORST[worst]) worst = each;
  return worst;
}
