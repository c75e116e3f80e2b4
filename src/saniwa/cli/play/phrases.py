"""The phrases and command words of the terminal players, in English and Japanese.

The phrases are in `phrases.toml`. No story content is here.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from saniwa.app.host_commands import HOST_PHRASES

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "preview": ("preview", "試しに"),
    "rules": ("rules", "規則"),
    "who": ("who", "who?", "seats", "席", "席順"),
    "quit": ("quit", "exit", "q", "bye", "終了", "終わる", "終わり", "おわり", "やめる"),
}
"""The terminal's own commands in a scenario and their spellings; a leading slash is allowed.

Every host understands `saniwa.language.host_words` besides.
"""

STORY_COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "back": ("back", "b", "戻る", "もどる"),
    "skip": ("skip", "スキップ", "既読スキップ", "飛ばす"),
    "auto": ("auto", "オート", "自動"),
    "saves": ("saves", "保存一覧", "一覧"),
    "restart": ("restart", "最初から", "始めから", "はじめから"),
    "quit": COMMANDS["quit"],
}
"""The terminal's own commands in a story."""

_COMMANDS_WITH_ARGUMENT: Final = frozenset({"preview", "rules"})

LANGUAGES: Final[dict[str, dict[str, str]]] = {
    language: HOST_PHRASES[language] | own
    for language, own in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
"""The phrases by language, with those of every host; every language has the same keys."""


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
