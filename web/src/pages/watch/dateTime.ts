/** When something was, in few words. */

/** A day and an hour, as people of a language write them. */
export function formatDay(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }).format(at);
}
