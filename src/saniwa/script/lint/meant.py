"""What somebody may have meant by a variable that is none."""

import re
from typing import Any, Final, NamedTuple

from saniwa.core.near import slipped
from saniwa.core.where import Where
from saniwa.script.language.expression import FUNCTIONS
from saniwa.script.lint.whole import Whole

_MARKS: Final = ("once", "else", "ask")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]").match
_CALL = re.compile(rf"\b({'|'.join(FUNCTIONS)})\(\s*\Z").search


class Cure(NamedTuple):
    """What to do about a finding."""

    hint: str
    """For people."""
    details: dict[str, Any]
    """The edit, if there is one."""


def meant(story: Whole, where: Where, name: str) -> Cure | None:
    """A misspelt mark of an item, or a text without its quotes; None if it is neither."""
    line = story.line(where).rstrip()
    before, behind = line[: where.column - 1], line[where.column - 1 + len(name) :]
    if before.rstrip().endswith("{") and behind.lstrip()[:1] == "}" and _ITEM(line):
        mark = slipped(name, _MARKS)
        if mark:
            hint = f"did you mean {{{mark}}}?"
            return Cure(hint, story.rewrite(where, name, mark))
    called = _CALL(before)
    if called is not None and behind.lstrip()[:1] in (")", ","):
        what = "label" if called[1] == "visits" else "name"
        quoted = f'"{name}"'
        hint = f"put the {what} in quotes: {called[1]}({quoted})"
        return Cure(hint, story.rewrite(where, name, quoted))
    return None
