"""What is wrong with front matter that is no YAML, in plain words."""

import re
from typing import Final, NamedTuple

from saniwa.core.quoted import quoted

_KEY = re.compile(r"[ \t]*([^\s:]+):[ \t]+(\S.*)").fullmatch
_WORD = re.compile(r"[^\s,:{}\[\]]+(?=[ \t]*:?\Z)").search
_CLOSERS: Final = {"{": "}", "[": "]"}


class Muddle(NamedTuple):
    """One mistake."""

    message: str
    """What is wrong, in one plain sentence."""
    hint: str
    """What to do."""
    column: int
    """Where in the line."""


def plainly(problem: str, line: str, column: int) -> Muddle:
    """What a complaint of the reader of YAML at this column of a line comes from."""
    at = column - 1
    tab = line.find("\t")
    if 0 <= tab <= at and not line[:tab].strip():
        message = "the line begins with a tab"
        return Muddle(message, "use blanks, not tabs", tab + 1)
    if "is not closed" in problem:
        return _flow(line, at)
    if "no key can end" in problem:
        message = f"a second colon stands in {quoted(line.strip())}"
        return Muddle(message, _quotes(line), column)
    if "nothing can begin" in problem:
        message = f"a value cannot begin with {quoted(line[at : at + 1])}"
        return Muddle(message, _quotes(line), column)
    if "inside a quoted text" in problem:
        opened = max(line.rfind(mark, 0, at) for mark in "\"'") + 1
        message = "a quotation mark is not closed"
        return Muddle(message, "add one at the end of the value", opened or column)
    if "does not fit" in problem:
        message = f"{quoted(line.strip())} does not fit the lines above it"
        hint = "indent it like its neighbours, and use quotes in pairs"
        return Muddle(message, hint, column)
    return Muddle(f"it cannot be read: {problem}", "", column)


def _flow(line: str, at: int) -> Muddle:
    """A mapping or list on one line: a comma or its end is missing."""
    found = _WORD(line[: at + 1]) if at < len(line.rstrip()) else None
    if found is not None:
        message = f"a comma is missing before {quoted(found[0])}"
        before = line[: found.start()].rstrip()
        hint = f"write {before.lstrip()}, {line[found.start() :].strip()}"
        return Muddle(message, hint, found.start() + 1)
    opened = max(line.rfind("{", 0, at), line.rfind("[", 0, at))
    if opened < 0:
        return Muddle("a comma or the end of a list is missing", "", at + 1)
    mark = line[opened]
    message = f"the {mark} is not closed"
    return Muddle(message, f"add {_CLOSERS[mark]}", opened + 1)


def _quotes(line: str) -> str:
    found = _KEY(line)
    if found is None:
        return "put the value in quotes"
    value = found[2].replace('"', '\\"')
    return f'put the value in quotes: {found[1]}: "{value}"'
