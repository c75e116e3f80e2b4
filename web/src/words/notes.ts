/** What an analysis remarks beside a figure: English as it is written down, and in Japanese. */

/** The remark where factors always change together. */
export const CONFOUNDED = "no two conditions differ in it alone";

const JAPANESE: readonly (readonly [RegExp, string])[] = [
  [/^no two conditions differ in it alone$/, "これだけが違う条件の組がありません"],
  [/^too many levels to be analysed$/, "水準が多すぎて分析できません"],
  [/^nothing to count$/, "数えるものがありません"],
  [/^without a game master it is 0 by definition$/, "ゲームマスターなしでは、定義により0です"],
  [/^no block has every cell it needs$/, "必要な試行がそろったブロックがありません"],
  [/^no block differs(: |, so there is )nothing to test$/, "どのブロックにも差がなく、検定するものがありません"],
  [/^measured only with a game master$/, "ゲームマスターありの条件のみ"],
  [/^no block has both$/, "両方がそろったブロックがありません"],
  [/^one (?:cell|block): no interval$/, "1つだけなので、区間はありません"],
  [/^the same in all (\d+) (?:cells|blocks)$/, "$1個すべてで同じ値です"],
  [/^(\d+) (?:cells|blocks): the interval is too narrow$/, "$1個だけなので、区間は狭すぎます"],
  [/^(\d+) blocks: p cannot be below (.+)$/, "$1ブロックでは、pは$2より小さくなりません"],
];

/** A remark in a language; what is new to this page stays as it was written. */
export function translateNote(note: string, language: "en" | "ja"): string {
  return language === "en" ? note : note.split("; ").map(inJapanese).join("、");
}

function inJapanese(remark: string): string {
  const [pattern, told] = JAPANESE.find(([each]) => each.test(remark)) ?? [];
  return pattern && told ? remark.replace(pattern, told) : remark;
}
