/** A file somebody picked: only a text can be handed in as text. */

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a file; null for a picture, an archive or anything else that is no UTF-8 text. */
export async function readFileText(file: Blob): Promise<string | null> {
  try {
    const text = UTF8.decode(await file.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
