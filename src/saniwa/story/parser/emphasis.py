"""Find which signs in a text are marks of emphasis or code, and pair them."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from unicodedata import category

from saniwa.story.text_template import EmphasisMark, MarkKind

SIGNS: Final = "*`"
"""The characters that marks are written with."""
_RUN = re.compile(r"\*++|`++")
_WORD = re.compile(r"\w\w|^\w|\w$")
_LONGEST_FACE = 12
_OPENING, _CLOSING = frozenset({"Ps", "Pi"}), frozenset({"Pe", "Pf"})
_SPACED = "\u0530"
"""Letters before this one are of scripts that put spaces between words."""


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
