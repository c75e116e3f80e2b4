"""Text templates: their parts, emphasis marks, and how they are rendered.

Parsing templates from a story file is done in `parser`.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, Protocol, cast
from unicodedata import category

import msgspec

from saniwa.core.random import derive_state, draw_permutation
from saniwa.story.evaluation import ExpressionScope, format_value
from saniwa.story.expression_parser import Expression
from saniwa.story.finding_collector import make_story_error

SIGNS: Final = "*`"
"""The characters that marks are written with."""
MarkKind = Literal["emphasis", "strong", "code"]
"""What a mark means."""

_RUN = re.compile(r"\*++|`++")
_WORD = re.compile(r"\w\w|^\w|\w$")
_LONGEST_FACE = 12
_OPENING, _CLOSING = frozenset({"Ps", "Pi"}), frozenset({"Pe", "Pf"})
_SPACED = "\u0530"
"""Letters before this one are of scripts that put spaces between words."""


class EmphasisMark(msgspec.Struct, frozen=True, gc=False):
    """Where emphasis, strong emphasis or code begins or ends."""

    kind: MarkKind
    """What it means."""
    opens: bool
    """Whether it begins here; else it ends."""
    sign: str
    """As written."""


class EmphasisDelimiter(NamedTuple):
    """A run of signs that may begin or end a mark."""

    sign: str
    """The run."""
    opens: bool
    """Whether a mark may begin with it."""
    closes: bool
    """Whether a mark may end with it."""
    before: str
    """The character before it."""
    after: str
    """The character after it."""


def read_delimiter(text: str, at: int) -> EmphasisDelimiter:
    """Read the run of signs that begins at `text[at]`."""
    found = _RUN.match(text, at)
    assert found is not None
    before, after = text[at - 1 : at] or " ", text[found.end() : found.end() + 1] or " "
    if _is_spaced_word(before) and _is_spaced_word(after):
        return EmphasisDelimiter(found[0], False, False, before, after)
    opens = not after.isspace() and category(after) not in _CLOSING
    if found[0][0] == "`" and opens:
        # Code never begins in a word or an emoticon: "don`t", "(*´ω`*)".
        opens = not _is_spaced_word(before) and (after != "*" or before.isspace())
    return EmphasisDelimiter(
        found[0], opens, not before.isspace() and category(before) not in _OPENING, before, after
    )


def _is_spaced_word(character: str) -> bool:
    return character.isalnum() and (character < _SPACED or character.isdecimal())


class _DelimiterRun:
    """A delimiter while it is being paired."""

    def __init__(self, at: int, delimiter: EmphasisDelimiter) -> None:
        self.at, self.delimiter = at, delimiter
        self.left = len(delimiter.sign)
        self.ends: list[EmphasisMark] = []
        self.begins: list[EmphasisMark] = []

    @property
    def is_ambiguous(self) -> bool:
        """Whether it may begin a mark as well as end one."""
        return self.delimiter.opens and self.delimiter.closes


def find_marks(parts: Sequence[object]) -> dict[int, list[EmphasisMark | str]]:
    """Resolve each delimiter among the parts: paired marks, else its plain signs.

    Keyed by the index of the delimiter in `parts`. A pair is always in one list of
    parts, so that a brace never contains half of one. Time is linear in the number of
    parts.
    """
    delimiters = [
        (at, part) for at, part in enumerate(parts) if isinstance(part, EmphasisDelimiter)
    ]
    made: dict[int, list[EmphasisMark | str]] = {at: [each.sign] for at, each in delimiters}
    _find_emphasis(_find_code(delimiters, made), parts, made)
    return made


def _find_code(
    delimiters: list[tuple[int, EmphasisDelimiter]], made: dict[int, list[EmphasisMark | str]]
) -> list[tuple[int, EmphasisDelimiter]]:
    """Pair runs of backticks of equal length; return the stars outside of them."""
    closing: dict[int, int] = {}
    partner: dict[int, int] = {}
    for nth in range(len(delimiters) - 1, -1, -1):
        each = delimiters[nth][1]
        if each.sign[0] != "`":
            continue
        if each.opens and len(each.sign) in closing:
            partner[nth] = closing[len(each.sign)]
        if each.closes:
            closing[len(each.sign)] = nth
    stars, nth = list[tuple[int, EmphasisDelimiter]](), 0
    while nth < len(delimiters):
        at, each = delimiters[nth]
        if nth in partner:
            nth = partner[nth]
            made[at] = [EmphasisMark("code", True, each.sign)]
            made[delimiters[nth][0]] = [EmphasisMark("code", False, each.sign)]
        elif each.sign[0] == "*":
            stars.append((at, each))
        nth += 1
    return stars


def _find_emphasis(
    stars: list[tuple[int, EmphasisDelimiter]],
    parts: Sequence[object],
    made: dict[int, list[EmphasisMark | str]],
) -> None:
    """Pair runs of stars, the innermost first."""
    opened: list[_DelimiterRun] = []
    runs: list[_DelimiterRun] = []
    lowest: dict[tuple[int, bool], int] = {}
    for at, delimiter in stars:
        run = _DelimiterRun(at, delimiter)
        runs.append(run)
        is_face = False
        while run.left and delimiter.closes and not is_face:
            kind = (len(delimiter.sign) % 3, run.is_ambiguous)
            nth = _find_opener(opened, run, lowest.get(kind, -1))
            if nth < 0:
                lowest[kind] = at
                break
            is_face = _is_face(opened[nth], run, parts)
            if is_face:
                del opened[nth:]
            else:
                _pair_runs(opened, nth, run)
        if run.left and delimiter.opens and not is_face:
            opened.append(run)
    for run in runs:
        # The outermost pair was found last.
        made[run.at] = [*run.ends, "*" * run.left, *reversed(run.begins)]


def _find_opener(opened: list[_DelimiterRun], run: _DelimiterRun, lowest: int) -> int:
    """Return the nearest run that this one may end; -1 if there is none."""
    length = len(run.delimiter.sign)
    for nth in range(len(opened) - 1, -1, -1):
        opener = opened[nth]
        if opener.at < lowest:
            break
        other = len(opener.delimiter.sign)
        # CommonMark's rule of three: `**a*b*c**` is strong, with emphasis inside.
        unlike = (opener.is_ambiguous or run.is_ambiguous) and (length + other) % 3 == 0
        if not unlike or (length % 3 == 0 and other % 3 == 0):
            return nth
    return -1


def _pair_runs(opened: list[_DelimiterRun], nth: int, run: _DelimiterRun) -> None:
    """Pair a run with the one that it ends; runs opened in between stay plain."""
    opener = opened[nth]
    del opened[nth + 1 :]
    width = 2 if opener.left > 1 and run.left > 1 else 1
    kind: MarkKind = "strong" if width == 2 else "emphasis"
    opener.begins.append(EmphasisMark(kind, True, "*" * width))
    run.ends.append(EmphasisMark(kind, False, "*" * width))
    opener.left -= width
    run.left -= width
    if not opener.left:
        del opened[nth]


def _is_face(opener: _DelimiterRun, run: _DelimiterRun, parts: Sequence[object]) -> bool:
    """Whether signs in brackets are an emoticon, without a word: `(*^_^*)`."""
    if opener.delimiter.before not in "(（" or run.delimiter.after not in ")）":
        return False
    inner = parts[opener.at + 1 : min(run.at, opener.at + _LONGEST_FACE)]
    texts = [p.sign if isinstance(p, EmphasisDelimiter) else p for p in inner]
    if run.at - opener.at > _LONGEST_FACE or not all(isinstance(each, str) for each in texts):
        return False
    text = "".join(map(str, texts))
    return len(text) <= _LONGEST_FACE and _WORD.search(text) is None


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
