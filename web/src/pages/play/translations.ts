/** Worlds that are written in more than one language: each is one world. */

import type { ScenarioLine } from "./calls";

/** One world, in every language it is written in; the first is the one to begin with. */
export type Family = readonly [ScenarioLine, ...ScenarioLine[]];

/** The name that a world shares with its twins: the Japanese `gate` is `gate_ja`. */
export function getSharedName({ id, language }: ScenarioLine): string {
  return id.endsWith(`_${language}`) ? id.slice(0, -language.length - 1) : id;
}

/** Worlds by family, those in the page's language first, in each family too; then those with a title. */
export function groupTranslations(worlds: readonly ScenarioLine[], language: string): Family[] {
  const known = new Map<string, ScenarioLine[]>();
  for (const world of worlds) {
    const twins = known.get(getSharedName(world)) ?? [];
    // Two in one language are no twins, whatever they are called.
    const alone = twins.some((each) => each.language === world.language);
    if (alone) known.set(`${world.id} alone`, [world]);
    else known.set(getSharedName(world), [...twins, world]);
  }
  const foreign = (world: ScenarioLine): number => Number(world.language !== language);
  const rank = ([first]: Family): number => foreign(first) * 2 + Number(first.name === first.id);
  return [...known.values()]
    .map((twins) => twins.sort((a, b) => foreign(a) - foreign(b)) as unknown as Family)
    .sort((a, b) => rank(a) - rank(b));
}

/** A language's name in the page's language; a scenario may name one that has none. */
export function getLanguageName(language: string, page: string): string {
  try {
    return new Intl.DisplayNames([page], { type: "language" }).of(language) ?? language;
  } catch {
    return language;
  }
}
