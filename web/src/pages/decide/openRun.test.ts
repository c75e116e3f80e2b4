import { expect, test } from "vitest";
import { OpenRun, type Looking } from "./openRun.svelte";
import type { Review, RunView } from "./types";

/** A run that stands at the given revisions, one each time it is looked at. */
function standing(views: number[], reviews: number[]): Looking {
  const next = (list: number[]): number => (list.length > 1 ? list.shift() : list[0]) ?? 0;
  return {
    readRun: async () => ({ state: { revision: next(views) } }) as RunView,
    readReview: async () => ({ revision: next(reviews) }) as Review,
  };
}

test("what is shown and what is decided on are of one revision", async () => {
  const desk = new OpenRun("run-1", standing([3, 4], [4]));
  await desk.look();
  expect([desk.revision, desk.review?.revision, desk.moved]).toEqual([4, 4, false]);
});

test("a run that moves on is looked at again", async () => {
  const desk = new OpenRun("run-1", standing([1, 2], [1, 2]));
  await desk.look();
  await desk.heard(2);
  expect([desk.revision, desk.moved]).toEqual([2, false]);
});

test("nothing changes before the eyes of somebody who decides", async () => {
  const desk = new OpenRun("run-1", standing([1, 2], [1, 2]));
  await desk.look();
  desk.held = true;
  await desk.heard(2);
  expect([desk.revision, desk.review?.revision, desk.moved]).toEqual([1, 1, true]);
  await desk.look();
  expect(desk.moved).toBe(false);
});

test("an old number, heard late, changes nothing", async () => {
  const desk = new OpenRun("run-1", standing([5], [5]));
  await desk.look();
  await desk.heard(3);
  expect([desk.revision, desk.moved]).toEqual([5, false]);
});

test("a run that cannot be looked at says why, and what was shown stays", async () => {
  const looking = standing([1], [1]);
  const desk = new OpenRun("run-1", looking);
  await desk.look();
  looking.readRun = async () => Promise.reject(new Error("gone"));
  await desk.look();
  expect(String(desk.problem)).toContain("gone");
  expect(desk.revision).toBe(1);
});
