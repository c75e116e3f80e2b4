/** Being told as things happen: server-sent events, taken up again when they break off. */

import { makeAddress } from "./client";

/** Where to listen, and what to do. */
export type Listening = {
  path: readonly (string | number)[];
  /** Called for every event with its name (`revision`, `problem`) and its content. */
  told: (name: string, content: number | string) => void;
  /** Called when the stream breaks off and when it is there again. */
  broken?: (lost: boolean) => void;
};

const NAMES = ["revision", "problem"];

/** Listen until the returned function is called. Reconnecting is the browser's; giving up is ours to undo. */
export function listen(listening: Listening): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gap = 1000;

  const open = (): void => {
    source = new EventSource(makeAddress(listening.path));
    source.onopen = () => {
      gap = 1000;
      listening.broken?.(false);
    };
    source.onerror = () => {
      listening.broken?.(true);
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, gap);
      gap = Math.min(gap * 2, 30_000);
    };
    for (const name of NAMES)
      source.addEventListener(name, (event) => listening.told(name, contentOf(event)));
  };

  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

/** A revision is a number; the code of a problem is a word. */
function contentOf(event: MessageEvent): number | string {
  const text = String(event.data);
  return /^\d+$/.test(text) ? Number(text) : text;
}
