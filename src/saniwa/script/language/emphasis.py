"""Reads `*emphasis*`, `**strong**` and `` `code` `` in a line of text.

Follows CommonMark, with three differences that stories need. A mark between two letters
or digits of a script that writes blanks between words is a plain sign (`5*3`, `sh*t`).
Next to a Japanese letter or quotation mark a mark always counts. A face such as `(*^_^*)`
keeps its signs.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple
from unicodedata import category

import msgspec

SIGNS: Final = "*`"
"""The characters that marks are written with."""
MarkKind = Literal["emphasis", "strong", "code"]
"""What a mark means."""

_RUN = re.compile(r"\*++|`++")
_WORD = re.compile(r"\w\w|^\w|\w$")
_LONGEST_FACE = 12
_OPENING, _CLOSING = frozenset({"Ps", "Pi"}), frozenset({"Pe", "Pf"})
_SPACED = "\u0530"
"""Letters before this one belong to scripts that write blanks between words."""


class Mark(msgspec.Struct, frozen=True, gc=False):
    """Where emphasis, strong emphasis or code begins or ends."""

    kind: MarkKind
    """What it means."""
    opens: bool
    """Whether it begins here; else it ends."""
    sign: str
    """As written."""


class Delimiter(NamedTuple):
    """A run of signs that may begin or end something."""

    sign: str
    """The run."""
    opens: bool
    """Whether something may begin with it."""
    closes: bool
    """Whether something may end with it."""
    before: str
    """The character before it."""
    after: str
    """The character after it."""


def read_delimiter(text: str, at: int) -> Delimiter:
    """The run of signs that begins at `text[at]`."""
    found = _RUN.match(text, at)
    assert found is not None
    before, after = text[at - 1 : at] or " ", text[found.end() : found.end() + 1] or " "
    if _is_spaced_word(before) and _is_spaced_word(after):
        return Delimiter(found[0], False, False, before, after)
    opens = not after.isspace() and category(after) not in _CLOSING
    if found[0][0] == "`" and opens:
        # Code never begins in a word or a face: "don`t", "(*´ω`*)".
        opens = not _is_spaced_word(before) and (after != "*" or before.isspace())
    return Delimiter(
        found[0],
        opens,
        not before.isspace() and category(before) not in _OPENING,
        before,
        after,
    )


def _is_spaced_word(letter: str) -> bool:
    return letter.isalnum() and (letter < _SPACED or letter.isdecimal())


class _Run:
    """A delimiter while pairs are looked for."""

    def __init__(self, at: int, delimiter: Delimiter) -> None:
        self.at, self.delimiter = at, delimiter
        self.left = len(delimiter.sign)
        self.ends: list[Mark] = []
        self.begins: list[Mark] = []

    @property
    def both(self) -> bool:
        """Whether it may begin something as well as end something."""
        return self.delimiter.opens and self.delimiter.closes


def find_marks(parts: Sequence[object]) -> dict[int, list[Mark | str]]:
    """What each delimiter among some parts becomes: marks in pairs, else its signs.

    By the place of the delimiter in `parts`. A pair stands in one list of parts, so that
    a brace never holds half of one. Costs the number of parts.
    """
    delimiters = [
        (at, part) for at, part in enumerate(parts) if isinstance(part, Delimiter)
    ]
    made: dict[int, list[Mark | str]] = {at: [each.sign] for at, each in delimiters}
    _find_emphasis(_find_code(delimiters, made), parts, made)
    return made


def _find_code(
    delimiters: list[tuple[int, Delimiter]], made: dict[int, list[Mark | str]]
) -> list[tuple[int, Delimiter]]:
    """Pair runs of backticks of one length; the stars outside of them are returned."""
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
    stars, nth = list[tuple[int, Delimiter]](), 0
    while nth < len(delimiters):
        at, each = delimiters[nth]
        if nth in partner:
            nth = partner[nth]
            made[at] = [Mark("code", True, each.sign)]
            made[delimiters[nth][0]] = [Mark("code", False, each.sign)]
        elif each.sign[0] == "*":
            stars.append((at, each))
        nth += 1
    return stars


def _find_emphasis(
    stars: list[tuple[int, Delimiter]],
    parts: Sequence[object],
    made: dict[int, list[Mark | str]],
) -> None:
    """Pair runs of stars, the innermost first."""
    opened: list[_Run] = []
    runs: list[_Run] = []
    lowest: dict[tuple[int, bool], int] = {}
    for at, delimiter in stars:
        run = _Run(at, delimiter)
        runs.append(run)
        is_face = False
        while run.left and delimiter.closes and not is_face:
            kind = (len(delimiter.sign) % 3, run.both)
            nth = _find_opener(opened, run, lowest.get(kind, -1))
            if nth < 0:
                lowest[kind] = at
                break
            is_face = _is_face(opened[nth], run, parts)
            if is_face:
                del opened[nth:]
            else:
                _pair(opened, nth, run)
        if run.left and delimiter.opens and not is_face:
            opened.append(run)
    for run in runs:
        # The outermost pair was found last.
        made[run.at] = [*run.ends, "*" * run.left, *reversed(run.begins)]


def _find_opener(opened: list[_Run], run: _Run, lowest: int) -> int:
    """The nearest run that this one may end; -1 if there is none."""
    length = len(run.delimiter.sign)
    for nth in range(len(opened) - 1, -1, -1):
        opener = opened[nth]
        if opener.at < lowest:
            break
        other = len(opener.delimiter.sign)
        # CommonMark's rule of three: `**a*b*c**` is strong, with emphasis inside.
        unlike = (opener.both or run.both) and (length + other) % 3 == 0
        if not unlike or (length % 3 == 0 and other % 3 == 0):
            return nth
    return -1


def _pair(opened: list[_Run], nth: int, run: _Run) -> None:
    """Tie a run to the one that it ends; what was opened between stays plain."""
    opener = opened[nth]
    del opened[nth + 1 :]
    width = 2 if opener.left > 1 and run.left > 1 else 1
    kind: MarkKind = "strong" if width == 2 else "emphasis"
    opener.begins.append(Mark(kind, True, "*" * width))
    run.ends.append(Mark(kind, False, "*" * width))
    opener.left -= width
    run.left -= width
    if not opener.left:
        del opened[nth]


def _is_face(opener: _Run, run: _Run, parts: Sequence[object]) -> bool:
    """Whether signs in brackets hold no word between them: `(*^_^*)`."""
    if opener.delimiter.before not in "(（" or run.delimiter.after not in ")）":
        return False
    inner = parts[opener.at + 1 : min(run.at, opener.at + _LONGEST_FACE)]
    texts = [p.sign if isinstance(p, Delimiter) else p for p in inner]
    if run.at - opener.at > _LONGEST_FACE or not all(
        isinstance(each, str) for each in texts
    ):
        return False
    text = "".join(map(str, texts))
    return len(text) <= _LONGEST_FACE and _WORD.search(text) is None
