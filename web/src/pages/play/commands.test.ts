import { expect, test } from "vitest";
import { findCommand } from "./commands";

test.each([
  ["help", { name: "help", rest: "" }],
  ["/HELP", { name: "help", rest: "" }],
  ["なぜ？", { name: "why", rest: "" }],
  ["save  before the gate ", { name: "save", rest: "before the gate" }],
  ["保存　門の前", { name: "save", rest: "門の前" }],
  ["元に戻す", { name: "undo", rest: "" }],
  ["preview take the key", { name: "preview", rest: "take the key" }],
])("%s is a command", (line, command) => expect(findCommand(line)).toEqual(command));

test.each(["help the keeper", "take the key", "undo the knot", "なぜ 泣く", "", "helpful"])(
  "%s is a line of the story",
  (line) => expect(findCommand(line)).toBeNull(),
);
