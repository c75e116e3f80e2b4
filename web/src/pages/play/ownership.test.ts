import { expect, test } from "vitest";
import type { About } from "../../app/visitor.svelte";
import { resumable, theirs } from "./ownership";

const LOOKS_AND_PLAYS = ["look", "play"];
const visitor = (name: string, may: string[]): About["visitor"] => ({ name, role: "", person: false, may, signed_in: name !== "" });

test("who began a run plays it, and nobody else who signed in", () => {
  expect(theirs(visitor("ann", LOOKS_AND_PLAYS), "ann")).toBe(true);
  expect(theirs(visitor("ann", [...LOOKS_AND_PLAYS, "change"]), "bob")).toBe(false);
});

test("what nobody signed in to begin is for people, not for agents", () => {
  expect(theirs(visitor("ann", [...LOOKS_AND_PLAYS, "change"]), "")).toBe(true);
  expect(theirs(visitor("bot", LOOKS_AND_PLAYS), "")).toBe(false);
});

test("at the server's own machine every run can be played, and from elsewhere none", () => {
  expect(theirs(visitor("", [...LOOKS_AND_PLAYS, "change"]), "bob")).toBe(true);
  expect(theirs(visitor("", []), "")).toBe(false);
});

test("a story that was left at a terminal is not gone on with as a bare world", () => {
  expect(resumable({ hosted: false, kind: "story on a world" })).toBe(false);
  expect(resumable({ hosted: false, kind: "scenario" })).toBe(true);
  expect(resumable({ hosted: true, kind: "story on a world" })).toBe(true);
});
