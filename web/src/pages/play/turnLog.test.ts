import { expect, test } from "vitest";
import type { StepResult } from "../../api/shapes";
import { joinTurns, type TurnLine } from "./turnLog";

const STEP: StepResult = { next: "WaitUser", directives: [] };
const turn = (number: number, words: string, more: Partial<TurnLine> = {}): TurnLine => ({
  number, words, kind: "turn", actor: "me", name: "Me", types: [], outcome: "done", codes: [], changed: true, at: 0, ...more,
});
const heard = (steps: number, ...turns: TurnLine[]): string[] =>
  joinTurns(Array.from({ length: steps }, () => STEP), turns.reverse(), "me").map((each) => each.words);

test("words stand before what they led to, and the opening has none", () => {
  expect(heard(3, turn(0, "look"), turn(1, "go east"))).toEqual(["", "look", "go east"]);
});

test("a backlog that begins later is counted from its end", () => {
  expect(heard(1, turn(0, "look"), turn(1, "go east"))).toEqual(["go east"]);
});

test("what was done to the run is passed over, and others' words are not mine", () => {
  const edit = turn(1, "", { kind: "edit" });
  const undo = turn(2, "undo", { kind: "undo" });
  const other = turn(3, "hello", { actor: "her" });
  expect(heard(5, turn(0, "look"), edit, undo, other, turn(4, "wave"))).toEqual(["", "look", "", "", "wave"]);
});
