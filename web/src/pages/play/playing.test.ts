import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Directive, Moment, StepResult } from "../../api/shapes";
import { Playing } from "./playing.svelte";
import type { TurnLine } from "./turnLog";

type Answer = { status?: number; body: unknown } | "lost";

let asked: { method: string; path: string; headers: Headers; body: unknown }[] = [];
let answers: Answer[] = [];
let kind = "story";
let moment: Moment;
let told: StepResult[] | null = null;
let turns: Partial<TurnLine>[] = [];

const say = (text: string): Directive => ({ type: "Say", args: { speaker: "", text } });
const step = (next: StepResult["next"], ...directives: Directive[]): StepResult => ({ next, directives });
const at = (revision: number, shown: StepResult, more: Partial<Moment> = {}): Moment => ({
  run: "r",
  revision,
  step: shown,
  waiting: "step",
  scenery: null,
  back: true,
  host: "",
  ...more,
});

async function network(address: string, request: RequestInit): Promise<Response> {
  const path = address.replace("/api/v1/runs/r", "");
  const method = request.method ?? "GET";
  const body: unknown = request.body ? JSON.parse(String(request.body)) : null;
  asked.push({ method, path, headers: new Headers(request.headers), body });
  if (method === "GET") return written(looked(path));
  const answer = answers.shift() ?? "lost";
  if (answer === "lost") throw new TypeError("lost");
  return written(answer.body, answer.status);
}

function looked(path: string): unknown {
  if (path === "/moment") return moment;
  if (path.startsWith("/backlog")) return { items: told ?? [moment.step], next: null };
  if (path.startsWith("/turns")) return { items: turns, next: null };
  const line = { id: "r", kind, story: kind === "story" ? "s" : "", scenario: "", language: "en" };
  return { line, revision: moment.revision, waiting: moment.waiting, actor: "me", cast: [] };
}

const written = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": status < 300 ? "application/json" : "application/problem+json" } });

async function opened(first: Moment, ...later: Answer[]): Promise<Playing> {
  moment = first;
  answers = later;
  const playing = new Playing("r");
  await playing.open();
  asked = [];
  return playing;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", network);
  kind = "story";
  told = null;
  turns = [];
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a press finishes the line, the next one shows the next line, the last one goes on", async () => {
  const playing = await opened(at(1, step("WaitUser", say("one"), say("two"))), { body: at(2, step("WaitUser", say("three"))) });
  await playing.advance();
  expect([playing.typed, playing.line?.text]).toEqual([true, "one"]);
  await playing.advance();
  expect([playing.typed, playing.line?.text, asked.length]).toEqual([false, "two", 0]);
  await playing.advance();
  await playing.advance();
  expect(playing.line?.text).toBe("three");
  expect(asked[0]?.headers.get("if-match")).toBe('"1"');
});

test("a step that leads on does so by itself, once its time has passed", async () => {
  const wait: Directive = { type: "Wait", args: { seconds: 2 } };
  const playing = await opened(at(1, step("Next", wait)), { body: at(2, step("WaitUser", say("after"))) });
  await vi.advanceTimersByTimeAsync(1900);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(playing.line?.text).toBe("after");
});

test("choices are offered when the line is there, and not before", async () => {
  const branch: Directive = { type: "Branch", args: { choices: ["a"] } };
  const playing = await opened(at(1, step("WaitBranch", say("one"), branch), { waiting: "choice" }));
  expect(playing.choosing).toBe(false);
  await playing.advance();
  expect(playing.choosing).toBe(true);
  await playing.advance();
  expect(asked).toEqual([]);
});

test("going back passes over what only led on", async () => {
  const first = { body: at(3, step("Next", { type: "ClearLayer", args: { layer: "x" } }), { scenery: step("Next") }) };
  const playing = await opened(at(2, step("WaitUser", say("two"))), first, { body: at(4, step("WaitUser", say("one")), { back: false }) });
  await playing.back();
  expect([playing.line?.text, playing.typed, asked.length]).toEqual(["one", true, 2]);
});

test("going on by itself waits as long as reading takes, and stops at a question", async () => {
  const playing = await opened(at(1, step("WaitUser", say("one"))), { body: at(2, step("WaitUser", { type: "Ask", args: { prompt: "?" } }), { waiting: "words" }) });
  playing.setAuto(true);
  playing.finish();
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([playing.speaking, asked.length]).toEqual([true, 1]);
});

test("who comes too late is shown how things stand, and nothing of theirs happened", async () => {
  const playing = await opened(at(1, step("WaitUser", say("one"))), { status: 412, body: { code: "REVISION_CONFLICT", detail: "stale" } });
  let told = 0;
  playing.onstale = () => void told++;
  moment = at(5, step("WaitUser", say("elsewhere")));
  playing.finish();
  await playing.advance();
  expect([playing.line?.text, playing.problem, told]).toEqual(["elsewhere", null, 1]);
});

test("what got lost is kept, and sent again under the same key and revision", async () => {
  kind = "scenario";
  const lost: Answer[] = ["lost", "lost", "lost", "lost", "lost"];
  const playing = await opened(at(1, step("WaitUser", say("one")), { waiting: "words" }), ...lost);
  const outcome = playing.say("take the key");
  await vi.advanceTimersByTimeAsync(20_000);
  expect([await outcome, playing.unsent?.words, playing.said]).toEqual(["lost", "take the key", null]);
  expect(await playing.say("another")).toBe("busy");
  answers = [{ body: at(2, step("WaitUser", say("Taken.")), { waiting: "words" }) }];
  expect(await playing.again()).toBe("done");
  const sent = asked.filter((each) => each.method === "POST");
  expect(new Set(sent.map((each) => each.headers.get("idempotency-key"))).size).toBe(1);
  expect(playing.said).toEqual({ words: "take the key" });
  expect(playing.entries.flatMap((entry) => entry.lines.map((line) => line.text))).toEqual(["one", "take the key", "Taken."]);
});

test("a refusal of the server is shown and everything stays as it is", async () => {
  const playing = await opened(at(1, step("WaitUser", say("one"))), { status: 403, body: { code: "NOT_YOURS", detail: "somebody else plays it" } });
  playing.finish();
  await playing.advance();
  expect((playing.problem as Error).message).toBe("somebody else plays it");
  expect([playing.line?.text, playing.unsent]).toEqual(["one", null]);
});

test("skipping tells whether there was anything to skip", async () => {
  const here = at(1, step("WaitUser", say("one")));
  const there = at(9, step("WaitUser", say("nine")), { scenery: step("Next") });
  const playing = await opened(here, { body: { moment: here, passed: [] } }, { body: { moment: there, passed: [] } });
  expect(await playing.skip()).toBe(false);
  expect(await playing.skip()).toBe(true);
  expect(playing.line?.text).toBe("nine");
});

test("what others did in a scenario is read up, each thing once", async () => {
  kind = "scenario";
  const playing = await opened(at(1, step("WaitUser", say("one")), { waiting: "words" }));
  moment = at(3, step("WaitUser", say("three")), { waiting: "words" });
  told = [step("WaitUser", say("one")), step("WaitUser", say("two")), step("WaitUser", say("three"))];
  turns = [2, 1, 0].map((number) => ({ number, kind: "turn" }));
  expect(await playing.catchUp()).toBe(true);
  expect(await playing.catchUp()).toBe(false);
  expect(playing.entries.flatMap((entry) => entry.lines.map((line) => line.text))).toEqual(["one", "two", "three"]);
});

test("a change of seats is no story, and shows nothing again", async () => {
  kind = "scenario";
  turns = [{ number: 0, kind: "turn" }];
  const playing = await opened(at(1, step("WaitUser", say("one")), { waiting: "words" }));
  moment = at(2, step("WaitUser", say("one")), { waiting: "words" });
  turns = [{ number: 1, kind: "seating" }, { number: 0, kind: "turn" }];
  expect(await playing.catchUp()).toBe(true);
  expect([playing.moment?.revision, playing.entries.length]).toEqual([2, 1]);
});

test("a refusal is marked with its turn", async () => {
  kind = "scenario";
  const refused = at(2, step("WaitUser", say("It is locked.")), { waiting: "words" });
  const playing = await opened(at(1, step("WaitUser", say("one")), { waiting: "words" }), { body: refused });
  turns = [{ number: 1, kind: "turn", actor: "me", outcome: "refused", codes: ["LOCKED"] }];
  expect(await playing.say("open the gate")).toBe("done");
  await vi.advanceTimersByTimeAsync(0);
  expect(playing.entries.map((entry) => entry.refused)).toEqual([null, null, 1]);
});

test("who comes back finds their own words where they said them", async () => {
  kind = "scenario";
  told = [step("WaitUser", say("A garden.")), step("WaitUser", say("A shed."))];
  turns = [{ number: 0, kind: "turn", actor: "me", words: "go east" }];
  const playing = await opened(at(1, step("WaitUser", say("A shed.")), { waiting: "words" }));
  expect(playing.entries.map((entry) => [entry.mine, entry.lines[0]?.text])).toEqual([
    [false, "A garden."], [true, "go east"], [false, "A shed."],
  ]);
  expect((await playing.retell()).map((each) => each.words)).toEqual(["", "go east"]);
});
