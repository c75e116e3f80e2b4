import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ThrottledNumber } from "./throttle.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a single change is followed at once", () => {
  const settled = new ThrottledNumber(3);
  settled.set(4);
  expect([settled.now, settled.followed]).toEqual([4, 4]);
});

test("of a hundred changes in a second no more than eight are followed, and the last is", () => {
  const settled = new ThrottledNumber(0);
  const followed = new Set<number>();
  for (let turn = 1; turn <= 100; turn++) {
    settled.set(turn);
    followed.add(settled.followed);
    vi.advanceTimersByTime(10);
  }
  expect(settled.now).toBe(100);
  vi.advanceTimersByTime(200);
  expect(settled.followed).toBe(100);
  expect(followed.size).toBeGreaterThan(3);
  expect(followed.size).toBeLessThanOrEqual(8);
});

test("nothing is followed once it is closed", () => {
  const settled = new ThrottledNumber(0);
  settled.set(1);
  settled.set(2);
  settled.close();
  vi.advanceTimersByTime(1000);
  expect(settled.followed).toBe(1);
});
