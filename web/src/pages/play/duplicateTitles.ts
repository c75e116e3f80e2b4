/** Titles that cannot be told apart. */

/** The titles that more than one has. */
export function findDuplicates(titles: readonly string[]): ReadonlySet<string> {
  return new Set(titles.filter((title, at) => titles.indexOf(title) !== at));
}
