/** What the open page's keys do, for the list that `?` shows. */

/** One line of the list. */
export type KeyRow = { keys: readonly string[]; does: string };

type Keymap = { rows: () => readonly KeyRow[]; open: boolean };

/** The open page's own keys. A page sets `rows` when it opens, as a function so that it follows the language. */
export const keymap: Keymap = $state({ rows: () => [], open: false });

/** Show these keys while a page is open: `$effect(() => showKeys(() => [...]))`. */
export function showKeys(rows: () => readonly KeyRow[]): () => void {
  keymap.rows = rows;
  return () => {
    keymap.rows = () => [];
  };
}
