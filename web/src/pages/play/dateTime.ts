/** When something was, as people say it. */

/** "14:05" for today, else "3 Nov 14:05": in a language, as the browser's own country writes it. */
export function formatTime(time: number, language: string, now: number, own = navigator.language): string {
  const tongue = own.startsWith(language) ? own : language;
  const then = new Date(time);
  const clock = then.toLocaleTimeString(tongue, { hour: "2-digit", minute: "2-digit" });
  if (then.toDateString() === new Date(now).toDateString()) return clock;
  const year = then.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: "numeric" } as const);
  return `${then.toLocaleDateString(tongue, { day: "numeric", month: "short", ...year })} ${clock}`;
}
