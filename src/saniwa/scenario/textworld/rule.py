"""Whether a game's rules are those that the `strict` book keeps too.

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

_BLOCK = re.compile(r"(?<!\w)rules\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\s+")
_MOST_LISTED = 10

RULES: dict[str, tuple[str, str]] = {
    "close/c": ("05ef84dff427", "cr"),
    "close/d": ("bca581be36eb", "dr"),
    "drop": ("86b58c87b4de", "or"),
    "eat": ("29a1504e9408", "f"),
    "examine/I": ("a68cb9ccecd2", "o"),
    "examine/c": ("5f9398791824", "cor"),
    "examine/d": ("c1979908299d", "dr"),
    "examine/s": ("34b70bd3e7ce", "ors"),
    "examine/t": ("6915187ebc99", "r"),
    "go/east": ("665c35e64754", "r"),
    "go/north": ("f6274d2a17bb", "r"),
    "go/south": ("518f4218f823", "r"),
    "go/west": ("c8d4f8302ccd", "r"),
    "insert": ("23f6045ddd5f", "cor"),
    "inventory": ("80db4f810571", "r"),
    "lock/c": ("fd1bf38a3dc0", "ckr"),
    "lock/d": ("1e34be604cde", "dkr"),
    "look": ("80db4f810571", "r"),
    "open/c": ("bfc228ff96b6", "cr"),
    "open/d": ("e4f11fffab18", "dr"),
    "put": ("e750c996470e", "ors"),
    "take": ("144d3fe2e4c1", "or"),
    "take/c": ("f371075eebcf", "cor"),
    "take/s": ("a3bc2a2c762c", "ors"),
    "unlock/c": ("106724384ffa", "ckr"),
    "unlock/d": ("cbe4d245f20f", "dkr"),
}
"""Every rule we know: its fingerprint, and the types it is about."""


def check_rules(page: Page, value: Any, path: Path, types: Collection[str]) -> None:
    """A finding for the rules that the `strict` book does not keep.

    And for those that it keeps and the game lacks, where the game has what they are
    about.
    """
    found = shape.fields(page, value, path, form.KNOWLEDGE, "'KB'")
    held = found.get("logic")
    if held is None or not isinstance(held.value, str):
        page.error(Code.FIELD_MISSING, "'KB' needs 'logic', a text", path)
        return
    told = dict(_rules(held.value))
    strange = [name for name in told if _known(name) != told[name]]
    if strange:
        page.error(
            Code.GAME_UNSUPPORTED,
            f"the game has rules that the 'strict' book has not: {_listed(strange)}",
            held.path,
            hint="make the game with 'tw-make custom', or another challenge",
            details={"rules": strange},
        )
    wide = {*types, *("o" for type in types if type in form.KINDRED["o"])}
    lacking = [
        n for n, (_, about) in RULES.items() if n not in told and wide >= {*about}
    ]
    if lacking:
        page.warn(
            Code.GAME_UNSUPPORTED,
            f"the 'strict' book has rules that the game has not: {_listed(lacking)}",
            held.path,
            details={"rules": lacking},
        )


def _known(name: str) -> str:
    return RULES[name][0] if name in RULES else ""


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
