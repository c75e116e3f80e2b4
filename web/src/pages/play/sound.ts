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
  private waiting = false;

  constructor(addressOf: (path: string) => string) {
    this.addressOf = addressOf;
  }

  /** Be as loud as this from now on. */
  set(loudness: Loudness): void {
    this.loudness = loudness;
    if (this.music) fade(this.music.element, this.musicVolume(), 200);
  }

  /** Let this music play in a circle, in place of what played before; null for silence. */
  play(path: string | null): void {
    if (this.music?.path === path) return;
    this.music?.stop();
    this.music = path === null ? null : this.begun(path);
  }

  /** Let a sound be heard once. */
  ring(path: string): void {
    const volume = this.loudness.muted ? 0 : this.loudness.sounds;
    if (volume === 0) return;
    const element = new Audio(this.addressOf(path));
    element.volume = volume;
    // A sound that may not be heard now would be out of place later.
    element.play().catch(() => undefined);
  }

  /** Fall silent for good. */
  close(): void {
    this.play(null);
    this.waiting = false;
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

  private tryAgain(): void {
    if (this.waiting) return;
    this.waiting = true;
    const again = (): void => {
      document.removeEventListener("pointerdown", again);
      document.removeEventListener("keydown", again);
      this.waiting = false;
      this.music?.element.play().catch(() => undefined);
    };
    document.addEventListener("pointerdown", again);
    document.addEventListener("keydown", again);
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
