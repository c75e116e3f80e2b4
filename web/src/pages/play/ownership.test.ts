import { expect, test } from "vitest";
import type { About } from "../../app/visitor.svelte";
import { isResumable, mayPlay } from "./ownership";

const LOOKS_AND_PLAYS = ["look", "play"];
const visitor = (name: string, may: string[]): About["visitor"] => ({ name, role: "", person: false, may, signed_in: name !== "" });

test("who began a run plays it, and nobody else who signed in", () => {
  expect(mayPlay(visitor("ann", LOOKS_AND_PLAYS), "ann")).toBe(true);
  expect(mayPlay(visitor("ann", [...LOOKS_AND_PLAYS, "change"]), "bob")).toBe(false);
});

test("what nobody signed in to begin is for people, not for agents", () => {
  expect(mayPlay(visitor("ann", [...LOOKS_AND_PLAYS, "change"]), "")).toBe(true);
  expect(mayPlay(visitor("bot", LOOKS_AND_PLAYS), "")).toBe(false);
});

test("at the server's own machine every run can be played, and from elsewhere none", () => {
  expect(mayPlay(visitor("", [...LOOKS_AND_PLAYS, "change"]), "bob")).toBe(true);
  expect(mayPlay(visitor("", []), "")).toBe(false);
});

test("a story whose file is not known here is not gone on with as a bare world", () => {
  expect(isResumable({ hosted: false, kind: "story on a world", draft: false })).toBe(false);
  expect(isResumable({ hosted: false, kind: "scenario", draft: false })).toBe(true);
  expect(isResumable({ hosted: true, kind: "story on a world", draft: false })).toBe(true);
});

test("a draft is not gone on with where stories are played", () => {
  expect(isResumable({ hosted: true, kind: "story", draft: true })).toBe(false);
});
