/** What a player may type that is no line of the story: the same words as at the terminal. */

/** What each command is called; a leading slash is allowed. `tests/house` compares this with the terminal's list. */
export const COMMANDS = {
  undo: ["undo", "元に戻す", "元にもどす", "もとにもどす", "戻す", "もどす", "取り消し", "取り消す"],
  hint: ["hint", "hints", "ヒント", "ひんと"],
  history: ["history", "履歴"],
  preview: ["preview", "試しに"],
  why: ["why", "why?", "なぜ", "なぜ？", "なんで", "なんで？", "どうして"],
  actions: ["actions", "できること"],
  save: ["save", "保存"],
  load: ["load", "読み込み", "ロード"],
  rules: ["rules", "規則"],
  who: ["who", "who?", "seats", "席", "席順"],
  help: ["help", "?", "ヘルプ", "助けて"],
  quit: ["quit", "exit", "q", "bye", "終了", "終わる", "終わり", "おわり", "やめる"],
} as const;

export type CommandName = keyof typeof COMMANDS;

/** A command, and the rest of its line. */
export type Command = { name: CommandName; rest: string };

/** Those that take the rest of their line; any other with a rest is a line of the story. */
const TAKES_MORE: ReadonlySet<CommandName> = new Set(["preview", "save", "load", "rules"]);

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
