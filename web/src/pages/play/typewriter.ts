/** Text that appears letter by letter: how much of it is to be seen when. */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text cut into what people see as letters, so that none is ever shown by half. */
export function splitLetters(text: string): string[] {
  return [...segmenter.segment(text)].map((each) => each.segment);
}

/** The weight of each letter in letters: after a stop the eye rests a little. */
function weight(letter: string): number {
  if (/[.!?…。！？]/.test(letter)) return 7;
  return /[,;:—、，：]/.test(letter) ? 3.5 : 1;
}

/** When each letter has come, in milliseconds from the start, at so many letters a second. */
export function scheduleLetters(parts: readonly string[], speed: number): number[] {
  let at = 0;
  return parts.map((letter) => {
    const came = at;
    at += (1000 / speed) * weight(letter);
    return came;
  });
}

/** How many letters are to be seen after so many milliseconds. */
export function countReached(times: readonly number[], elapsed: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= elapsed) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How long a text is left standing before going on by itself, in milliseconds. */
export function estimateReadingTime(text: string, pace: number): number {
  return (1100 + splitLetters(text).length * 42) / pace;
}
