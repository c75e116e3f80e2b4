import { expect, test } from "vitest";
import { findCommand } from "./commands";

test.each([
  ["who", { name: "who", rest: "" }],
  ["/WHO", { name: "who", rest: "" }],
  ["exit", { name: "quit", rest: "" }],
  ["preview  take it ", { name: "preview", rest: "take it" }],
  ["試しに　鍵を取る", { name: "preview", rest: "鍵を取る" }],
  ["preview take the key", { name: "preview", rest: "take the key" }],
])("%s is a command", (line, command) => expect(findCommand(line)).toEqual(command));

test.each(["help", "who is here", "take the key", "quit the job", "quit", "終わります", "席 取る", "", "whole"])(
  "%s goes to the server",
  (line) => expect(findCommand(line)).toBeNull(),
);
