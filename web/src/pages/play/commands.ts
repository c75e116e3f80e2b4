/** What a player may type for the page itself: the same words as at the terminal. The server knows the words for every host. */

/** What each command is called; a leading slash is allowed. `tests/house` compares this with the terminal's list. */
export const COMMANDS = {
  preview: ["preview", "試しに"],
  rules: ["rules", "規則"],
  who: ["who", "who?", "seats", "席", "席順"],
  quit: ["exit", "q", "bye"],
} as const;

export type CommandName = keyof typeof COMMANDS;

/** A command, and the rest of its line. */
export type Command = { name: CommandName; rest: string };

/** Those that take the rest of their line; any other with a rest is a line of the story. */
const TAKES_MORE: ReadonlySet<CommandName> = new Set(["preview", "rules"]);

/** The command a line is; null for a line of the story. */
export function findCommand(line: string): Command | null {
  const [, first = "", rest = ""] = /^\/?([^ \u3000]*)[ \u3000]?(.*)$/su.exec(line.trim()) ?? [];
  const said = first.toLowerCase();
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    if (!(COMMANDS[name] as readonly string[]).includes(said)) continue;
    return TAKES_MORE.has(name) || rest.trim() === "" ? { name, rest: rest.trim() } : null;
  }
  return null;
}
