"""Whether a game's rules are those that a shipped book keeps too.

A game carries its rules as a text. None of it is run: each rule's text is compared, by
its fingerprint, with those that the book is known to match.
"""

import hashlib
import re
from collections.abc import Collection, Iterator
from typing import Any

from saniwa.core.quoted import quoted
from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.page import Page, Path
from saniwa.scenario.textworld import form
from saniwa.scenario.textworld.dialect import STRICT, Dialect

_BLOCK = re.compile(r"(?<!\w)rules\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\s+")
_MOST_LISTED = 10


def check_rules(
    page: Page,
    value: Any,
    path: Path,
    types: Collection[str],
    dialect: Dialect = STRICT,
) -> None:
    """A finding for the rules that the dialect's book does not keep.

    And for those that it keeps and the game lacks, where the game has what they are
    about.
    """
    found = shape.fields(page, value, path, form.KNOWLEDGE, "'KB'")
    held = found.get("logic")
    if held is None or not isinstance(held.value, str):
        page.error(Code.FIELD_MISSING, "'KB' needs 'logic', a text", path)
        return
    told = dict(_rules(held.value))
    strange = [name for name in told if _known(name, dialect) != told[name]]
    if strange:
        page.error(
            Code.GAME_UNSUPPORTED,
            f"the game has rules that the {dialect.book!r} book has not: "
            f"{_listed(strange)}",
            held.path,
            hint="make the game with 'tw-make custom', or another challenge",
            details={"rules": strange},
        )
    wide = dialect.widened({*types})
    lacking = [
        name
        for name, (_, about) in dialect.rules.items()
        if name not in told and wide >= {*about}
    ]
    if lacking:
        page.warn(
            Code.GAME_UNSUPPORTED,
            f"the {dialect.book!r} book has rules that the game has not: "
            f"{_listed(lacking)}",
            held.path,
            details={"rules": lacking},
        )


def _known(name: str, dialect: Dialect) -> str:
    return dialect.rules[name][0] if name in dialect.rules else ""


def _listed(names: list[str]) -> str:
    shown = ", ".join(quoted(name) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return shown + (f" and {more} more" if more > 0 else "")


def _rules(logic: str) -> Iterator[tuple[str, str]]:
    """Name and fingerprint of every rule in the text."""
    for body in _BLOCK.findall(_COMMENT.sub("", logic)):
        for rule in body.split(";"):
            name, _, text = rule.partition("::")
            if name.strip():
                yield name.strip(), _mark(text)


def _mark(text: str) -> str:
    return hashlib.sha256(_SPACE.sub("", text).encode()).hexdigest()[:12]
