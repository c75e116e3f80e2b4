/** Names of a process as people read them. */

/** `submit_hypothesis` is "submit hypothesis". */
export function formatName(name: string): string {
  return name.replaceAll("_", " ");
}

/** The end of a run's id, which tells it from its neighbours. */
export function shortenHash(run: string): string {
  return run.slice(-6);
}

/** The event in the words beside a way: `submit [guard] (roles)` is `submit`. */
export function formatEvent(label: string): string {
  return label.replace(/ [[(].*$/su, "");
}

/** A number of bytes: "29 B", "3.4 kB". */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
