"""The phrases and command words of the terminal players, in English and Japanese.

The phrases are in `phrases.toml`. No story content is here.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "undo": (
        "undo",
        "元に戻す",
        "元にもどす",
        "もとにもどす",
        "戻す",
        "もどす",
        "取り消し",
        "取り消す",
    ),
    "hint": ("hint", "hints", "ヒント", "ひんと"),
    "inventory": ("inventory", "inv", "i", "持ち物", "もちもの"),
    "history": ("history", "履歴"),
    "preview": ("preview", "試しに"),
    "why": ("why", "why?", "なぜ", "なぜ？", "なんで", "なんで？", "どうして"),
    "actions": ("actions", "できること"),
    "save": ("save", "保存"),
    "load": ("load", "読み込み", "ロード"),
    "rules": ("rules", "規則"),
    "who": ("who", "who?", "seats", "席", "席順"),
    "help": ("help", "?", "ヘルプ", "助けて"),
    "quit": ("quit", "exit", "q", "bye", "終了", "終わる", "終わり", "おわり", "やめる"),
}
"""The commands of a scenario and their spellings; a leading slash is allowed."""

STORY_COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "back": ("back", "b", "戻る", "もどる", "戻す", "もどす"),
    "log": ("log", "backlog", "ログ", "履歴"),
    "skip": ("skip", "スキップ", "既読スキップ", "飛ばす"),
    "auto": ("auto", "オート", "自動"),
    "save": (*COMMANDS["save"], "セーブ"),
    "load": (*COMMANDS["load"], "読込"),
    "saves": ("saves", "保存一覧", "一覧"),
    "restart": ("restart", "最初から", "始めから", "はじめから"),
    "help": COMMANDS["help"],
    "quit": COMMANDS["quit"],
}
"""The commands of a story and their spellings; a leading slash is allowed."""

_COMMANDS_WITH_ARGUMENT: Final = frozenset({"preview", "save", "load", "rules"})

LANGUAGES: Final[dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""The phrases by language; every language has the same keys."""


def parse_command(
    text: str, commands: Mapping[str, tuple[str, ...]] = COMMANDS
) -> tuple[str, str] | None:
    """Parse a line as a command and its argument; None if it belongs to the story."""
    first, _, rest = text.strip().removeprefix("/").partition(" ")
    first, full, more = first.partition("　")
    rest = more if full else rest
    for name, spellings in commands.items():
        if first.casefold() in spellings:
            is_command = name in _COMMANDS_WITH_ARGUMENT or not rest.strip()
            return (name, rest.strip()) if is_command else None
    return None
