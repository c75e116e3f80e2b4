/** Which key does what, on every page; a page adds its own. */

/** Whether somebody is typing, or a dialog is open: keys then belong to that. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  return at.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(at.tagName);
}

/** Whether the key would press what has the focus, and so belongs to it. */
export function isPressKey(event: KeyboardEvent): boolean {
  const at = event.target;
  if (event.key !== "Enter" && event.key !== " ") return false;
  return at instanceof HTMLElement && at.closest("button, a, summary, [role=tab]") !== null;
}
