/** Why something was refused: the rule that refused it, and what would be needed. */

import type { Schemas } from "../../api/shapes";
import { describeCondition } from "../rules/condition";
import { readBook, readTurn, type Understanding } from "./calls";

type TurnView = Schemas["TurnView"];
type Turn = TurnView["turn"];
type Verdict = Turn["validationResults"][number];

/** One refusal. */
export type Reason = {
  /** What was tried, in a few words; empty where that is not known. */
  tried: string;
  /** What the refusal said. */
  message: string;
  /** The check that refused, such as `open.unlocked`; empty where the words were not understood. */
  check: string;
  /** What the check asks, in its author's words. */
  description: string;
  /** What must hold, in one line; empty where the book does not say. */
  condition: string;
  code: string;
  /** What might work instead. */
  hint: string;
};

/** A check of a book, as far as it is shown here. */
type Asked = { description?: string | undefined; condition?: unknown };

function refusal(tried: string, verdict: Verdict, rule: Asked | null | undefined): Reason {
  return {
    tried,
    message: verdict.message,
    check: verdict.check ?? "",
    description: rule?.description ?? "",
    condition: rule?.condition ? describeCondition(rule.condition) : "",
    code: verdict.reasonCode,
    hint: verdict.hint ?? "",
  };
}

function misheard(turn: Turn): Reason[] {
  return (turn.rejections ?? []).map(({ message, code, hint }) => ({
    tried: "",
    message,
    check: "",
    description: "",
    condition: "",
    code,
    hint: hint ?? "",
  }));
}

/** Why something of a turn that was played did not happen. */
export async function readReasons(run: string, number: number): Promise<Reason[]> {
  const { deeds = [], turn } = await readTurn(run, number);
  const refused = deeds.filter((deed) => !deed.verdict.success);
  return [...refused.map((deed) => refusal(deed.sentence, deed.verdict, deed.rule)), ...misheard(turn)];
}

/** Why something that was only looked at would not happen. */
export async function readReasonsAhead(run: string, { turn }: Understanding): Promise<Reason[]> {
  if (!turn) return [];
  const verdicts = turn.validationResults.filter((each) => !each.success);
  const { rules = [] } = verdicts.length > 0 ? await readBook(run) : {};
  const rule = (verdict: Verdict): Asked | undefined => {
    const [type, id] = (verdict.check ?? "").split(".");
    return rules.find((each) => each.action_type === type)?.checks?.find((check) => check.id === id);
  };
  return [...verdicts.map((verdict) => refusal("", verdict, rule(verdict))), ...misheard(turn)];
}
