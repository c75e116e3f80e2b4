/** Short notices that come and go. */

/** One notice. */
export type Toast = { id: number; text: string; tone: "plain" | "moss" | "plum" };

/** The notices to be seen now, oldest first. */
export const toasts: Toast[] = $state([]);

const SHOWN_FOR = 6000;
const AT_MOST = 4;
let last = 0;

/** Show a notice for some seconds; it is read aloud politely. */
export function showToast(text: string, tone: Toast["tone"] = "plain"): void {
  const id = ++last;
  if (toasts.length >= AT_MOST) toasts.shift();
  toasts.push({ id, text, tone });
  setTimeout(() => dismissToast(id), SHOWN_FOR);
}

/** Take a notice away. */
export function dismissToast(id: number): void {
  const at = toasts.findIndex((each) => each.id === id);
  if (at >= 0) toasts.splice(at, 1);
}
