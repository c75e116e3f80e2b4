"""Recognize commands for the host: `help`, `undo`, `save NAME` and the like; and `again`.

A line is one of them only as a whole: with anything more to do in it, it belongs to the
world. Nothing here carries a command out.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from saniwa.language.lexicon.tables import read_table

HostCommandName = Literal[
    "help", "undo", "why", "hint", "actions", "save", "load", "history", "inventory", "quit"
]
"""The commands that every host of a run understands."""
HOST_COMMANDS: Final = frozenset[str](get_args(HostCommandName))
"""Their names."""
LONGEST_COMMAND: Final = 200
"""The most characters of a line that can be a command."""


class HostCommand(NamedTuple):
    """A command for the host."""

    name: HostCommandName
    """Which."""
    argument: str = ""
    """The name of a save; empty if none was given."""


_EN_LEADS = re.compile(
    r"(?:(?:please|can you|could you|would you|will you|let me|let's|i want to|i'd like to"
    r"|i would like to|ok|okay),? +)+"
)
_EN_TAILS = re.compile(r"(?: (?:please|now|for me|again))+\Z")

_JA_NAMED = re.compile(r"(?P<word>保存|セーブ|読み込み|読込み?|ロード)\s+(?P<name>\S.*)", re.S)


class _HostCommandsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The patterns of each command, by language."""

    fragments: dict[str, str]
    english: dict[HostCommandName, list[str]]
    japanese: dict[HostCommandName, list[str]]
    repetition: list[str]


def _list_patterns(file: _HostCommandsFile) -> Iterator[tuple[HostCommandName, str]]:
    for table in (file.english, file.japanese):
        for name, patterns in table.items():
            for pattern in patterns:
                yield name, _fill_in(pattern, file.fragments)


def _fill_in(pattern: str, fragments: Mapping[str, str]) -> str:
    return _FRAGMENT.sub(lambda found: _fill_in(fragments[found[1]], fragments), pattern)


_FRAGMENT: Final = re.compile(r"@(\w+)")
_FILE: Final = read_table(Path(__file__).with_suffix(".yaml"), _HostCommandsFile)
_PATTERNS: Final = tuple((name, re.compile(each, re.S)) for name, each in _list_patterns(_FILE))
_REPETITION: Final = re.compile(
    "|".join(_fill_in(each, _FILE.fragments) for each in _FILE.repetition)
)
# One pattern for all, because few lines are commands.
_ANY: Final = re.compile(
    "|".join(f"(?:{each.pattern.replace('?P<name>', '?:')})" for _, each in _PATTERNS), re.S
)
_MARKS: Final = " \t\r\n　.!?…。！？~～"
_QUESTION_MARKS: Final = frozenset({"?", "？"})
_QUOTES: Final = " 　\"'“”‘’「」『』"
_EMPTY_NAMES: Final = frozenset({"ゲーム", "ここ", "ここまで", "進行状況", "今", "今の状態"})


def find_host_command(text: str, *, slash: bool = False) -> HostCommand | None:
    """The command that a line is; None if it belongs to the world.

    A leading slash is allowed; with `slash`, it is needed.
    """
    if len(text) > LONGEST_COMMAND or (slash and not text.lstrip().startswith("/")):
        return None
    line = text.strip().removeprefix("/").strip()
    if line in ("?", "？"):
        return HostCommand("help")
    bare = line.rstrip(_MARKS)
    is_question, line = line[len(bare) :].strip() in _QUESTION_MARKS, bare
    folded = unicodedata.normalize("NFKC", line).casefold()
    # Names of saves are taken from the line as it was typed, if the places are the same.
    plain = " ".join(line.split()) if len(line) == len(folded) else folded
    found = _match_command(plain, " ".join(folded.split()).replace("’", "'"))
    # Asking about quitting is not quitting.
    return HostCommand("help") if is_question and found == ("quit", "") else found


def is_repetition(text: str) -> bool:
    """Whether a line asks to do the last line once more; a question does not."""
    if len(text) > LONGEST_COMMAND:
        return False
    line = unicodedata.normalize("NFKC", text.strip().removeprefix("/")).casefold()
    folded = " ".join(line.strip(_MARKS).split()).replace("’", "'")
    lead = _EN_LEADS.match(folded)
    asks = not _QUESTION_MARKS.isdisjoint(line)
    return not asks and _REPETITION.fullmatch(folded, lead.end() if lead else 0) is not None


# A door looks for a command first, and then the parser.
@lru_cache(maxsize=256)
def _match_command(plain: str, folded: str) -> HostCommand | None:
    named = _JA_NAMED.fullmatch(folded)
    if named:
        kind: HostCommandName = "save" if named["word"] in ("保存", "セーブ") else "load"
        return HostCommand(kind, _cut_name(plain, named))
    lead = _EN_LEADS.match(folded)
    begin = lead.end() if lead else 0
    tail = _EN_TAILS.search(folded, begin)
    end = tail.start() if tail else len(folded)
    if not _ANY.fullmatch(folded, begin, end):
        return None
    for name, pattern in _PATTERNS:
        found = pattern.fullmatch(folded, begin, end)
        if found:
            return HostCommand(name, _cut_name(plain, found))
    return None


def _cut_name(plain: str, found: re.Match[str]) -> str:
    if "name" not in found.re.groupindex or found["name"] is None:
        return ""
    name = plain[found.start("name") : found.end("name")].strip(_QUOTES)
    return "" if name in _EMPTY_NAMES else name
