import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Speaker } from "./audio";

let made: Sound[] = [];
let silent = false;
let gestures: EventTarget;

class Sound extends EventTarget {
  volume = 1;
  loop = false;
  played = 0;
  paused = true;

  constructor(readonly address: string) {
    super();
    made.push(this);
  }

  play(): Promise<void> {
    this.played += 1;
    this.paused = false;
    return silent ? Promise.reject(new DOMException("no gesture", "NotAllowedError")) : Promise.resolve();
  }

  pause(): void {
    this.paused = true;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  [made, silent, gestures] = [[], false, new EventTarget()];
  vi.stubGlobal("Audio", Sound);
  vi.stubGlobal("document", gestures);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const speaker = (): Speaker => new Speaker((path) => `/${path}`);
const quiet = { music: 0.6, sounds: 0.8, muted: true };

test("a sound under way falls silent with everything else", () => {
  const playing = speaker();
  playing.ring("bell.ogg");
  playing.set(quiet);
  expect(made[0]?.volume).toBe(0);
});

test("a sound that is over is let go", () => {
  const playing = speaker();
  playing.ring("bell.ogg");
  made[0]?.dispatchEvent(new Event("ended"));
  playing.set(quiet);
  expect(made[0]?.volume).toBe(0.8);
});

test("closing ends a sound under way", () => {
  const playing = speaker();
  playing.ring("bell.ogg");
  playing.close();
  expect(made[0]?.paused).toBe(true);
});

test("music that was not let in begins with the first gesture, once", async () => {
  silent = true;
  speaker().play("rain.ogg");
  await vi.advanceTimersByTimeAsync(0);
  silent = false;
  gestures.dispatchEvent(new Event("keydown"));
  gestures.dispatchEvent(new Event("pointerdown"));
  expect(made[0]?.played).toBe(2);
});

test("nothing listens for gestures once it is closed", async () => {
  silent = true;
  const added = vi.spyOn(gestures, "addEventListener");
  const playing = speaker();
  playing.play("rain.ogg");
  await vi.advanceTimersByTimeAsync(0);
  const signals = added.mock.calls.map(([, , how]) => (how as AddEventListenerOptions).signal?.aborted);
  playing.close();
  expect(signals).toEqual([false, false]);
  expect(added.mock.calls.map(([, , how]) => (how as AddEventListenerOptions).signal?.aborted)).toEqual([true, true]);
});
