/** When something was, as people say it. */

/** "today, 14:05" or "3 Nov, 14:05", in a language. */
export function said(time: number, language: string, now: number): string {
  const then = new Date(time);
  const clock = then.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
  if (then.toDateString() === new Date(now).toDateString()) return clock;
  const year = then.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: "numeric" } as const);
  return `${then.toLocaleDateString(language, { day: "numeric", month: "short", ...year })} ${clock}`;
}
