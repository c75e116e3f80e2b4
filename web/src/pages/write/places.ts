/**
 * Places in a text: lines and columns as findings tell them, offsets as the browser counts.
 *
 * Findings count letters from 1; the browser counts halves of some of them, from 0.
 */

/** The offset of the first letter of a line, from 1; the end of the text behind its last. */
export function findStart(text: string, line: number): number {
  let at = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** The line that an offset is on, from 1. */
export function findLine(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** The offset inside of a line of its column, from 1, never behind its end. */
export function isWithin(line: string, column: number): number {
  let at = 0;
  for (let letter = 1; letter < column && at < line.length; letter += 1) at += (line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** A line of a text, from 1, without its end. */
export function getLine(text: string, line: number): string {
  const start = findStart(text, line);
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** From where to where a stretch of a line reaches, as offsets; `end` is a column, 0 for the line's end. */
export function findSpan(text: string, line: number, column: number, end: number): [number, number] {
  const start = findStart(text, line);
  const words = getLine(text, line);
  const from = isWithin(words, Math.max(column, 1));
  const to = end > 0 ? isWithin(words, end) : words.length;
  return [start + from, start + Math.max(from, to)];
}
