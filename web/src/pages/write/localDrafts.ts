/** What was written and not saved: kept in this browser, so that nothing typed is lost. */

/** A text that was not saved, and the version it was begun from. */
export type Unsaved = { text: string; seen: string };

const LARGEST = 400_000;

function name(kind: string, id: string, file: string): string {
  return `saniwa.write.${[kind, id, file].map(encodeURIComponent).join("/")}`;
}

/** What was left unsaved; null for nothing. */
export function readDraft(kind: string, id: string, file: string): Unsaved | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name(kind, id, file)) ?? "null");
    return isUnsaved(found) ? found : null;
  } catch {
    return null;
  }
}

/** Keep a text that is not saved; null where there is none any more. */
export function saveDraft(kind: string, id: string, file: string, left: Unsaved | null): void {
  try {
    if (left === null || left.text.length > LARGEST) localStorage.removeItem(name(kind, id, file));
    else localStorage.setItem(name(kind, id, file), JSON.stringify(left));
  } catch {
    // A browser that keeps nothing still edits; it asks before the page is left.
  }
}

function isUnsaved(found: unknown): found is Unsaved {
  if (typeof found !== "object" || found === null) return false;
  const { text, seen } = found as Record<string, unknown>;
  return typeof text === "string" && typeof seen === "string";
}
