/** Being told as things happen: server-sent events, taken up again when they break off. */

import { addressOf } from "./client";

/** Where to listen, and what to do. */
export type Listening = {
  path: readonly (string | number)[];
  /** The last revision this page knows; the server tells only what came after. */
  after?: number;
  /** Called for every event with its name and its content, read from JSON. */
  told: (name: string, content: unknown) => void;
  /** Called when the stream breaks off and when it is there again. */
  broken?: (lost: boolean) => void;
  /** Names of events to hear besides the unnamed ones. */
  names?: readonly string[];
};

/** Listen until the returned function is called. Reconnecting is the browser's; giving up is ours to undo. */
export function listen(listening: Listening): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gap = 1000;

  const open = (): void => {
    source = new EventSource(addressOf(listening.path, { after: listening.after }));
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
    for (const name of ["message", ...(listening.names ?? [])])
      source.addEventListener(name, (event) => listening.told(name, contentOf(event)));
  };

  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

function contentOf(event: MessageEvent): unknown {
  const text: unknown = event.data;
  return typeof text === "string" && text !== "" ? JSON.parse(text) : null;
}
