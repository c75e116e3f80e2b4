/** Which sentence tells of a problem, and whether its particulars are needed to mend it. */

import problems from "../words/problems";
import type { Problem } from "../api/saniwa";

/** A code, or the family of codes, that the page has a sentence for. */
export type Known = keyof (typeof problems)["en"];

const SAID_ALL: readonly number[] = [401, 403, 404, 412, 413, 428, 429, 503];

/** The key of the sentence for a code: its own, else its family's (`RULE_…`); null if it has none. */
export function chooseSentence(code: string): Known | null {
  const family = code.split("_", 1)[0] ?? "";
  return [code, family].find((key): key is Known => Object.hasOwn(problems.en, key)) ?? null;
}

/** Whether the sentence says enough, so that the server's own words may be folded away. */
export const isSelfExplaining = (problem: Problem): boolean => SAID_ALL.includes(problem.status);
