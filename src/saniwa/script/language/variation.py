"""Text that is not always the same: what it is made of, and how it is shown."""

from collections.abc import Iterator
from typing import Literal, Protocol

import msgspec

from saniwa.core.chance import permutation, seeded
from saniwa.core.errors import ScriptError
from saniwa.script.language.expression import Expression, Scope, shown

LONGEST = 1_000_000
"""Letters a text may have once it is filled in."""


class Show(msgspec.Struct, frozen=True, gc=False):
    """`{n}`: a value."""

    worth: Expression
    """Which value."""


class Switch(msgspec.Struct, frozen=True, gc=False):
    """`{expr: yes|no}`: one of two texts."""

    worth: Expression
    """Which one: `yes` if it holds."""
    yes: "Words"
    """One of the two."""
    no: "Words"
    """The other; empty where none is written."""


class Vary(msgspec.Struct, frozen=True, gc=False):
    """`{a|b}` `{&a|b}` `{!a|b}` `{~a|b}`: another text each time."""

    kind: Literal["sequence", "cycle", "once", "shuffle"]
    """In order: and then the last, again from the first, nothing; or in any order."""
    options: "tuple[Words, ...]"
    """The texts; at least one."""
    nth: int
    """Which variation of the whole text this is, from 0; counted where they close."""


class Text(msgspec.Struct, frozen=True, gc=False):
    """A text with something to fill in."""

    source: str
    """As written."""
    parts: tuple[str | Show | Switch | Vary, ...]
    """Its parts in order; escapes resolved."""


Words = str | Text
"""A text; a constant one is a plain string."""


class Counter(Scope, Protocol):
    """What a text may ask: all that an expression may, and how often it was shown."""

    @property
    def seed(self) -> int:
        """What this telling's chance began with."""

    def seen(self, key: str) -> int:
        """How often this variation was shown before; counts this showing too."""


def render(words: Words, scope: Counter, key: str) -> str:
    """The text filled in. Variations are counted under `key/nth`.

    A shuffle deals every option once in an order of its own for each round. The order
    comes from the seed, the key and the round, so it draws nothing from `roll`.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, from an expression or a text beyond all bounds.
    """
    return words if isinstance(words, str) else _filled(words, scope, key)


def _filled(words: Text, scope: Counter, key: str) -> str:
    text = ""
    for part in words.parts:
        if isinstance(part, str):
            text += part
            continue
        if isinstance(part, Show):
            text += shown(part.worth.worth(scope))
        else:
            if isinstance(part, Switch):
                chosen = part.yes if part.worth.worth(scope) else part.no
            else:
                chosen = _varied(part, scope, f"{key}/{part.nth}")
            text += chosen if isinstance(chosen, str) else _filled(chosen, scope, key)
        if len(text) > LONGEST:
            message = f"a text grows over {LONGEST} letters"
            raise ScriptError(
                "EXPRESSION_FAILED", message, hint="show less in one line"
            )
    return text


def spoken(words: Text, scope: Counter, key: str) -> str:
    """The text of an utterance filled in, without the lines that come to nothing.

    Raises:
        ScriptError: As for `render`.
    """
    text = _filled(words, scope, key)
    if "\n" not in text and not text.isspace():
        return text
    return "\n".join(line for line in text.split("\n") if line.strip())


def expressions(words: Words) -> Iterator[Expression]:
    """Every expression in the text, in order."""
    if isinstance(words, str):
        return
    for part in words.parts:
        if isinstance(part, Show | Switch):
            yield part.worth
        if isinstance(part, Switch):
            yield from expressions(part.yes)
            yield from expressions(part.no)
        elif isinstance(part, Vary):
            for option in part.options:
                yield from expressions(option)


def _varied(part: Vary, scope: Counter, key: str) -> Words:
    before, count = scope.seen(key), len(part.options)
    if part.kind == "cycle":
        return part.options[before % count]
    if part.kind == "shuffle":
        turn, dealt = divmod(before, count)
        return part.options[
            permutation(seeded(scope.seed, f"{key}/{turn}"), count)[dealt]
        ]
    if part.kind == "once" and before >= count:
        return ""
    return part.options[min(before, count - 1)]
