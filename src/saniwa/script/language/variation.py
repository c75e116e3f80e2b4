"""Text that is not always the same: what it is made of, and how it is shown."""

from collections import deque
from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

import msgspec

from saniwa.core.chance import permutation, seeded
from saniwa.core.errors import ScriptError
from saniwa.script.language.emphasis import Mark, MarkKind
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
    parts: tuple[str | Show | Switch | Vary | Mark, ...]
    """Its parts in order; escapes resolved, marks in pairs."""


Words = str | Text
"""A text; a constant one without marks is a plain string."""


class Utterance(NamedTuple):
    """A text as it is shown, and which of its characters are marked."""

    text: str
    """The text, without the signs of its marks."""
    spans: tuple[tuple[int, int, MarkKind], ...] = ()
    """Start, end and kind of each mark, in characters; the outer one first."""


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
    return words if isinstance(words, str) else _filled(words, scope, key, [])


def _filled(
    words: Text,
    scope: Counter,
    key: str,
    marks: list[tuple[int, Mark]],
    before: int = 0,
) -> str:
    """The text filled in; its marks are added to `marks` with their places."""
    text = ""
    for part in words.parts:
        if isinstance(part, str):
            text += part
            continue
        if isinstance(part, Mark):
            marks.append((before + len(text), part))
            continue
        if isinstance(part, Show):
            text += shown(part.worth.worth(scope))
        else:
            if isinstance(part, Switch):
                chosen = part.yes if part.worth.worth(scope) else part.no
            else:
                chosen = _varied(part, scope, f"{key}/{part.nth}")
            text += (
                chosen
                if isinstance(chosen, str)
                else _filled(chosen, scope, key, marks, before + len(text))
            )
        if len(text) > LONGEST:
            message = f"a text grows over {LONGEST} letters"
            raise ScriptError(
                "EXPRESSION_FAILED", message, hint="show less in one line"
            )
    return text


def spoken(words: Text, scope: Counter, key: str) -> Utterance:
    """The text of an utterance filled in, without the lines that come to nothing.

    Raises:
        ScriptError: As for `render`.
    """
    marks: list[tuple[int, Mark]] = []
    text = _filled(words, scope, key, marks)
    if "\n" not in text and not text.isspace():
        return Utterance(text, _spans(marks)) if marks else Utterance(text)
    lines = text.split("\n")
    kept = "\n".join(line for line in lines if line.strip())
    if marks and len(kept) < len(text):
        marks = _moved(marks, lines, len(kept))
    return Utterance(kept, _spans(marks))


def _spans(marks: list[tuple[int, Mark]]) -> tuple[tuple[int, int, MarkKind], ...]:
    """Each pair of marks as a span; one around nothing is left out."""
    spans: list[tuple[int, int, MarkKind]] = []
    opened: list[int] = []
    for at, mark in marks:
        if mark.opens:
            opened.append(at)
        elif (start := opened.pop()) < at:
            spans.append((start, at, mark.kind))
    # An inner one ends first; of two that are equally long the outer one comes first.
    spans.reverse()
    return tuple(sorted(spans, key=lambda span: (span[0], -span[1])))


def _moved(
    marks: list[tuple[int, Mark]], lines: list[str], length: int
) -> list[tuple[int, Mark]]:
    """The marks where they stand once blank lines are taken out."""
    moved, begin, gone = list[tuple[int, Mark]](), 0, 0
    waiting = deque(marks)
    for line in lines:
        end = begin + len(line) + 1
        blank = not line.strip()
        while waiting and waiting[0][0] < end:
            at, mark = waiting.popleft()
            moved.append((min((begin if blank else at) - gone, length), mark))
        gone += (end - begin) if blank else 0
        begin = end
    return moved


def find_constant(words: Words) -> Utterance | None:
    """What a text always comes to; None where something in it is filled in."""
    if isinstance(words, str):
        return Utterance(words)
    marks: list[tuple[int, Mark]] = []
    text = ""
    for part in words.parts:
        if isinstance(part, Mark):
            marks.append((len(text), part))
        elif isinstance(part, str):
            text += part
        else:
            return None
    return Utterance(text, _spans(marks))


def to_typed(words: Words) -> str:
    """The text as written; escapes are resolved where nothing is filled in."""
    if isinstance(words, str):
        return words
    typed = ""
    for part in words.parts:
        if not isinstance(part, str | Mark):
            return words.source
        typed += part.sign if isinstance(part, Mark) else part
    return typed


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
