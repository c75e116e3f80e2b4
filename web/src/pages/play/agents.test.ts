import { expect, test, vi } from "vitest";
import { AgentTurns, type TableView } from "./agents.svelte";

const BASE: TableView = {
  revision: 1,
  seats: [
    { who: "player", name: "you", player: "person", agent_before: "" },
    { who: "keeper", name: "the keeper", player: "character", agent_before: "character" },
  ],
  order: "order",
  awaited: "keeper",
  going: false,
  thinking: "",
  stopped: "",
  trouble: null,
  model: "",
  agents: true,
  playable: true,
  finished: false,
};

function table(...views: Partial<TableView>[]) {
  const left = views.map((view) => ({ ...BASE, ...view }));
  const asked: string[] = [];
  const next = async (what: string): Promise<TableView> => {
    asked.push(what);
    return left.shift() ?? BASE;
  };
  const turns = new AgentTurns("run-1", () => next("see"), {
    readTable: () => next("look"),
    startAgents: () => next("go"),
    pauseAgents: () => next("pause"),
  });
  return { turns, asked };
}

test("agents go when one of them is to act, and are followed until a person is", async () => {
  vi.useFakeTimers();
  const going = { going: true, thinking: "keeper" };
  const { turns, asked } = table({}, going, going, {}, { awaited: "player" }, {});
  await turns.answer();
  expect(turns.thinking).toBe("the keeper");
  await vi.advanceTimersByTimeAsync(800);
  expect(turns.going).toBe(true);
  await vi.advanceTimersByTimeAsync(800);

  expect(turns.going).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["look", "go", "look", "see", "look", "see"]);
  vi.useRealTimers();
});

test.each([
  ["a person is to act", { awaited: "player" }],
  ["no agent has a seat", { agents: false }],
  ["the story has ended", { finished: true }],
  ["a story is told on the world", { playable: false }],
])("nobody is let go where %s", async (_, view) => {
  const { turns, asked } = table(view);
  await turns.answer();

  expect(asked).toEqual(["look"]);
});

test("an agent that failed is not tried again by looking", async () => {
  const trouble = { code: "MODEL_MISSING", message: "there is no model", hint: "name one" };
  const { turns, asked } = table({ trouble }, { trouble }, { going: true });
  await turns.answer({ afresh: false });
  expect(turns.waiting).toBe(true);
  await turns.answer();
  turns.close();

  expect(asked).toEqual(["look", "look", "go"]);
});
