"""Text templates: their parts, and how they are rendered.

Parsing templates from a story file is done in `parser`.
"""

from collections import deque
from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol, cast

import msgspec

from saniwa.core.random import derive_state, draw_permutation
from saniwa.story.expression_parser import Expression
from saniwa.story.finding_collector import make_story_error
from saniwa.story.value_operations import ExpressionScope, format_value

MarkKind = Literal["emphasis", "strong", "code"]
"""What a mark means."""


class EmphasisMark(msgspec.Struct, frozen=True, gc=False):
    """Where emphasis, strong emphasis or code begins or ends."""

    kind: MarkKind
    """What it means."""
    opens: bool
    """Whether it begins here; else it ends."""
    sign: str
    """As written."""


LONGEST = 1_000_000
"""The most characters of a rendered text."""


class ValuePart(msgspec.Struct, frozen=True, gc=False):
    """`{n}`: the value of an expression."""

    worth: Expression
    """The expression."""


class SwitchPart(msgspec.Struct, frozen=True, gc=False):
    """`{expr: yes|no}`: one of two texts."""

    worth: Expression
    """The condition: `yes` if it is true."""
    yes: "Words"
    """The text if it is true."""
    no: "Words"
    """The text if it is false; empty if none is written."""

    @property
    def sides(self) -> "tuple[Words, ...]":
        """The texts it may show."""
        return self.yes, self.no


class VariationPart(msgspec.Struct, frozen=True, gc=False):
    """`{a|b}` `{&a|b}` `{!a|b}` `{~a|b}`: a different text each time."""

    kind: Literal["sequence", "cycle", "once", "shuffle"]
    """In order, then the last one, the first again, or nothing; or in random order."""
    options: "tuple[Words, ...]"
    """The texts; at least one."""
    nth: int
    """Its number within the text, from 0, in the order in which variations close."""

    @property
    def sides(self) -> "tuple[Words, ...]":
        """The texts it may show."""
        return self.options


class TextTemplate(msgspec.Struct, frozen=True, gc=False):
    """A text with parts to fill in."""

    source: str
    """As written."""
    parts: "tuple[TextPart, ...]"
    """Its parts in order; escapes resolved, marks in pairs."""


TextPart = str | ValuePart | SwitchPart | VariationPart | EmphasisMark
"""A part of a text."""
Words = str | TextTemplate
"""A text; a constant one without marks is a plain string."""


class Utterance(NamedTuple):
    """A rendered text, and its marked characters."""

    text: str
    """The text, without the signs of its marks."""
    spans: tuple[tuple[int, int, MarkKind], ...] = ()
    """Start, end and kind of each mark, in characters; the outer one first."""


class TextScope(ExpressionScope, Protocol):
    """What a text can read: as an expression can, and how often it was shown."""

    @property
    def seed(self) -> int:
        """The seed of this playthrough."""

    def count_showing(self, key: str) -> int:
        """Return how often this variation was shown before; counts this showing too."""


def render_words(words: Words, scope: TextScope, key: str) -> str:
    """Render a text. Variations are counted under `key/nth`.

    A shuffle shows every option once per round, in an order of its own for each round.
    The order comes from the seed, the key and the round, so it draws nothing from
    `roll`.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, from an expression or because the text is too
            long.
    """
    return words if isinstance(words, str) else _fill_in(words, scope, key, [])


def _fill_in(
    words: TextTemplate,
    scope: TextScope,
    key: str,
    marks: list[tuple[int, EmphasisMark]],
    before: int = 0,
) -> str:
    """Render a text; its marks are added to `marks` with their offsets."""
    text = ""
    for part in words.parts:
        if isinstance(part, str):
            text += part
            continue
        if isinstance(part, EmphasisMark):
            marks.append((before + len(text), part))
            continue
        if isinstance(part, ValuePart):
            text += format_value(part.worth.worth(scope))
        else:
            if isinstance(part, SwitchPart):
                chosen = part.yes if part.worth.worth(scope) else part.no
            else:
                chosen = _choose_variation(part, scope, f"{key}/{part.nth}")
            text += (
                chosen
                if isinstance(chosen, str)
                else _fill_in(chosen, scope, key, marks, before + len(text))
            )
        if len(text) > LONGEST:
            raise make_story_error("EXPRESSION_FAILED/shown", longest=LONGEST)
    return text


def render_utterance(words: TextTemplate, scope: TextScope, key: str) -> Utterance:
    """Render a line, without lines of the text that turn out empty.

    Raises:
        ScriptError: As for `render_words`.
    """
    marks: list[tuple[int, EmphasisMark]] = []
    text = _fill_in(words, scope, key, marks)
    if "\n" not in text and not text.isspace():
        return Utterance(text, _pair_marks(marks)) if marks else Utterance(text)
    lines = text.split("\n")
    remaining = "\n".join(line for line in lines if line.strip())
    if marks and len(remaining) < len(text):
        marks = _shift_marks(marks, lines, len(remaining))
    return Utterance(remaining, _pair_marks(marks))


def _pair_marks(marks: list[tuple[int, EmphasisMark]]) -> tuple[tuple[int, int, MarkKind], ...]:
    """Turn each pair of marks into a span; empty spans are omitted."""
    spans: list[tuple[int, int, MarkKind]] = []
    opened: list[int] = []
    for at, mark in marks:
        if mark.opens:
            opened.append(at)
        elif (start := opened.pop()) < at:
            spans.append((start, at, mark.kind))
    # An inner one ends first; of two with equal length the outer one comes first.
    spans.reverse()
    return tuple(sorted(spans, key=lambda span: (span[0], -span[1])))


def _shift_marks(
    marks: list[tuple[int, EmphasisMark]], lines: list[str], length: int
) -> list[tuple[int, EmphasisMark]]:
    """Shift the marks to their offsets once blank lines are removed."""
    moved, begin, gone = list[tuple[int, EmphasisMark]](), 0, 0
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


def _is_constant(words: TextTemplate) -> bool:
    return all(isinstance(part, str | EmphasisMark) for part in words.parts)


def find_constant(words: Words) -> Utterance | None:
    """Return a text that never changes; None if something in it is filled in."""
    if isinstance(words, str):
        return Utterance(words)
    if not _is_constant(words):
        return None
    marks: list[tuple[int, EmphasisMark]] = []
    return Utterance(_fill_in(words, cast(TextScope, None), "", marks), _pair_marks(marks))


def to_typed(words: Words) -> str:
    """Return the text as written; escapes are resolved if nothing is filled in."""
    if isinstance(words, str) or not _is_constant(words):
        return get_source(words)
    return "".join(
        part.sign if isinstance(part, EmphasisMark) else str(part) for part in words.parts
    )


def get_source(words: Words) -> str:
    """Return the text as written."""
    return words if isinstance(words, str) else words.source


def walk_parts(words: Words) -> Iterator[TextPart]:
    """Yield every part of a text in order, including the parts of its options."""
    # Recurses as deep as braces nest, which the parser bounds.
    for part in (words,) if isinstance(words, str) else words.parts:
        yield part
        if isinstance(part, SwitchPart | VariationPart):
            for side in part.sides:
                yield from walk_parts(side)


def find_text_expressions(words: Words) -> Iterator[Expression]:
    """Yield every expression in the text, in order."""
    return (part.worth for part in walk_parts(words) if isinstance(part, ValuePart | SwitchPart))


def _choose_variation(part: VariationPart, scope: TextScope, key: str) -> Words:
    before, count = scope.count_showing(key), len(part.options)
    if part.kind == "cycle":
        return part.options[before % count]
    if part.kind == "shuffle":
        turn, dealt = divmod(before, count)
        return part.options[
            draw_permutation(derive_state(scope.seed, f"{key}/{turn}"), count)[dealt]
        ]
    if part.kind == "once" and before >= count:
        return ""
    return part.options[min(before, count - 1)]
