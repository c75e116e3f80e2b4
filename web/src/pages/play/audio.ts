/** Music that fades into music, and sounds over it. */

const FADE = 1400;
const STEP = 40;

/** How loud everything is, each from 0 to 1. */
export type Loudness = { music: number; sounds: number; muted: boolean };

type Playing = { path: string; element: HTMLAudioElement; stop: () => void };

/** One player's loudspeaker. Browsers stay silent until the first gesture; it tries again then. */
export class Speaker {
  private loudness: Loudness = { music: 0.6, sounds: 0.8, muted: false };
  private music: Playing | null = null;
  private readonly addressOf: (path: string) => string;
  private readonly sounds = new Set<HTMLAudioElement>();
  private waiting: AbortController | null = null;

  constructor(addressOf: (path: string) => string) {
    this.addressOf = addressOf;
  }

  /** Be as loud as this from now on. */
  set(loudness: Loudness): void {
    this.loudness = loudness;
    if (this.music) fade(this.music.element, this.musicVolume(), 200);
    for (const sound of this.sounds) sound.volume = this.soundVolume();
  }

  /** Let this music play in a circle, in place of what played before; null for silence. */
  play(path: string | null): void {
    if (this.music?.path === path) return;
    this.music?.stop();
    this.music = path === null ? null : this.begun(path);
  }

  /** Let a sound be heard once. */
  ring(path: string): void {
    if (this.soundVolume() === 0) return;
    const element = new Audio(this.addressOf(path));
    const over = (): unknown => this.sounds.delete(element);
    element.volume = this.soundVolume();
    element.addEventListener("ended", over);
    this.sounds.add(element);
    // A sound that may not be heard now would be out of place later.
    element.play().catch(over);
  }

  /** Fall silent for good. */
  close(): void {
    this.play(null);
    for (const sound of this.sounds) sound.pause();
    this.sounds.clear();
    this.waiting?.abort();
    this.waiting = null;
  }

  private begun(path: string): Playing {
    const element = new Audio(this.addressOf(path));
    element.loop = true;
    element.volume = 0;
    element.play().catch(() => this.tryAgain());
    fade(element, this.musicVolume(), FADE);
    return { path, element, stop: () => fade(element, 0, FADE, () => element.pause()) };
  }

  private musicVolume(): number {
    return this.loudness.muted ? 0 : this.loudness.music;
  }

  private soundVolume(): number {
    return this.loudness.muted ? 0 : this.loudness.sounds;
  }

  private tryAgain(): void {
    if (this.waiting) return;
    const waiting = (this.waiting = new AbortController());
    const again = (): void => {
      waiting.abort();
      this.waiting = null;
      this.music?.element.play().catch(() => undefined);
    };
    for (const gesture of ["pointerdown", "keydown"])
      document.addEventListener(gesture, again, { signal: waiting.signal });
  }
}

const fading = new WeakMap<HTMLAudioElement, ReturnType<typeof setInterval>>();

function fade(element: HTMLAudioElement, to: number, over: number, done?: () => void): void {
  clearInterval(fading.get(element));
  const from = element.volume;
  let passed = 0;
  const timer = setInterval(() => {
    passed += STEP;
    const part = Math.min(1, passed / over);
    element.volume = from + (to - from) * part;
    if (part < 1) return;
    clearInterval(timer);
    done?.();
  }, STEP);
  fading.set(element, timer);
}
