/** What a person has chosen for this browser: kept there, and nowhere else. */

/** How the page is lit. */
export type Theme = "system" | "light" | "dark";

type Chosen = { theme: Theme; language: "en" | "ja" };

/** Read a kept choice; a browser that keeps nothing has none. */
export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(`saniwa.${name}`);
  } catch {
    return null;
  }
}

/** Keep a choice, where the browser lets us. */
export function writeSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`saniwa.${name}`, value);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page is open.
  }
}

function first(): Chosen {
  const theme = readSetting("theme");
  const language = readSetting("language") ?? (navigatorLanguage().startsWith("ja") ? "ja" : "en");
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    language: language === "ja" ? "ja" : "en",
  };
}

function navigatorLanguage(): string {
  return typeof navigator === "undefined" ? "en" : navigator.language;
}

/** The chosen theme and language; reading them in markup follows every change. */
export const settings: Chosen = $state(first());

/** Choose a theme, now and for next time. */
export function chooseTheme(theme: Theme): void {
  settings.theme = theme;
  writeSetting("theme", theme);
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Choose the page's language, now and for next time. */
export function chooseLanguage(language: "en" | "ja"): void {
  settings.language = language;
  writeSetting("language", language);
  document.documentElement.lang = language;
}
