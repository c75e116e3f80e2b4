/** A number that may change as fast as a hand, and what is fetched for it. */

/** Between two that are followed: at most so many questions reach the server. */
const GAP = 140;

/** Of what comes in quick succession, the first, one now and then, and always the last. */
export class ThrottledNumber {
  /** As it is now. */
  now = $state(0);
  /** As it is followed. */
  followed = $state(0);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(first: number) {
    this.now = this.followed = first;
  }

  set(value: number): void {
    this.now = value;
    if (this.timer === undefined) this.follow();
  }

  /** Follow no longer. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private follow(): void {
    if (this.followed === this.now) return;
    this.followed = this.now;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.follow();
    }, GAP);
  }
}
