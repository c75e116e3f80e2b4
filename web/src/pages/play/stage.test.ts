import { expect, test } from "vitest";
import type { Directive, StepResult } from "../../api/shapes";
import { showArrival, EMPTY, showStep } from "./stage";

const step = (next: StepResult["next"], ...directives: Directive[]): StepResult => ({ next, directives });
const say = (text: string, speaker = ""): Directive => ({ type: "Say", args: { speaker, text } });
const picture = (layer: string, path: string | null): Directive => ({ type: "ShowImage", args: { layer, path } });

test("lines are the step's own, pictures and music stay", () => {
  const first = showStep(EMPTY, step("WaitUser", picture("bg", "a.svg"), { type: "PlayBgm", args: { path: "fog.wav" } }, say("One")));
  const second = showStep(first, step("WaitUser", say("Two", "Pim")));
  expect(second.lines).toEqual([{ speaker: "Pim", text: "Two", tags: [] }]);
  expect(second.layers).toEqual([{ name: "bg", path: "a.svg" }]);
  expect(second.music).toBe("fog.wav");
});

test("a picture takes the place of the one before on its layer, and keeps its place in the row", () => {
  const first = showStep(EMPTY, step("Next", picture("bg", "a.svg"), picture("pim", "pim.svg")));
  expect(showStep(first, step("Next", picture("bg", "b.svg"))).layers).toEqual([
    { name: "bg", path: "b.svg" },
    { name: "pim", path: "pim.svg" },
  ]);
});

test("backgrounds stand behind, whenever they come", () => {
  const stage = showStep(EMPTY, step("Next", picture("overlay", "rain.svg"), picture("pim", "pim.svg"), picture("background", "a.svg")));
  expect(stage.layers.map((layer) => layer.name)).toEqual(["background", "pim", "overlay"]);
});

test("no file, a cleared layer and a missing path all show nothing", () => {
  const full = showStep(EMPTY, step("Next", picture("bg", "a.svg")));
  expect(showStep(full, step("Next", picture("bg", null))).layers).toEqual([]);
  const pathless = { type: "ShowImage", args: { layer: "bg" } } as Directive;
  expect(showStep(full, step("Next", pathless)).layers).toEqual([]);
  expect(showStep(full, step("Next", { type: "ClearLayer", args: { layer: "bg" } })).layers).toEqual([]);
  expect(showStep(full, step("Next", { type: "ClearLayer", args: { layer: "other" } })).layers).toEqual(full.layers);
});

test("a sound is played once and a film shown once", () => {
  const first = showStep(EMPTY, step("WaitUser", { type: "PlaySe", args: { path: "bell.wav" } }, { type: "PlayMovie", args: { path: "a.mp4" } }));
  expect([first.sounds, first.movie]).toEqual([["bell.wav"], "a.mp4"]);
  const second = showStep(first, step("WaitUser", { type: "PlaySe", args: { path: null } }));
  expect([second.sounds, second.movie]).toEqual([[], null]);
});

test("plain choices are all open; options say which are not", () => {
  const plain = showStep(EMPTY, step("WaitBranch", { type: "Branch", args: { choices: ["a"] } }));
  expect(plain.options).toEqual([{ text: "a", enabled: true }]);
  const options = [{ text: "a", enabled: false }];
  expect(showStep(EMPTY, step("WaitBranch", { type: "Branch", args: { choices: ["a"], options } })).options).toEqual(options);
  expect(showStep(plain, step("WaitUser", say("x"))).options).toEqual([]);
});

test("waits add up, and time never runs backwards", () => {
  const waits: Directive[] = [1.5, -3, 0.5].map((seconds) => ({ type: "Wait", args: { seconds } }));
  expect(showStep(EMPTY, step("Next", ...waits)).pause).toBe(2);
});

test("a question may be empty and is a question all the same", () => {
  expect(showStep(EMPTY, step("WaitUser", { type: "Ask", args: { prompt: "" } })).question).toBe("");
  expect(showStep(EMPTY, step("WaitUser", say("x"))).question).toBe(null);
});

test("an ending may have no name", () => {
  expect(showStep(EMPTY, step("Halt", { type: "Ending", args: { id: "dawn" } })).ending).toEqual({ id: "dawn", name: "" });
});

test("who comes in here sees this moment's scenery and nothing of what was", () => {
  const stage = showArrival(step("WaitUser", say("Here")), step("Next", picture("bg", "b.svg"), { type: "PlaySe", args: { path: "old.wav" } }));
  expect(stage.layers).toEqual([{ name: "bg", path: "b.svg" }]);
  expect(stage.sounds).toEqual([]);
  expect(showArrival(step("WaitUser", say("Here")), null).layers).toEqual([]);
});

test("what a later contract adds is passed over", () => {
  const future = { type: "Perfume", args: {} } as unknown as Directive;
  expect(showStep(EMPTY, step("WaitUser", future, say("x"))).lines).toHaveLength(1);
});
