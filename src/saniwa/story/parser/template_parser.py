"""Parse a text: its braces, its escapes, and which signs in it are marks of emphasis."""

import re
from collections.abc import Sequence
from string import punctuation
from typing import Final, Literal, NamedTuple
from unicodedata import category

from saniwa.story.expression_parser import LONGEST, Expression, PlaceFinder, parse_expression
from saniwa.story.finding_collector import NotationError
from saniwa.story.text_template import (
    EmphasisMark,
    MarkKind,
    SwitchPart,
    TextTemplate,
    ValuePart,
    VariationPart,
    Words,
)

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


DEEPEST: Final = 40
"""How deep braces may be nested."""
MOST_PROBLEMS: Final = 100
"""After so many problems in one text, the rest of it is taken as plain text."""


def parse_words(text: str, line: int, column: int) -> tuple[Words, tuple[NotationError, ...]]:
    """Parse a text that begins at `line` and `column`; later lines begin at column 1.

    Invalid braces stay in the text as written and are reported.
    """
    if is_plain(text):
        return text, ()
    reader = _TextReader(text, line, column)
    return reader.read(), tuple(sorted(reader.problems, key=lambda p: (p.line, p.column)))


def is_plain(text: str) -> bool:
    """Whether a text is shown exactly as written, in any context."""
    return not ("{" in text or "\\" in text or "*" in text or "`" in text)


_Shown = str | ValuePart | SwitchPart | VariationPart
_Part = _Shown | EmphasisDelimiter
_Kind = Literal["sequence", "cycle", "once", "shuffle"]
_KINDS: Final[dict[str, _Kind]] = {"&": "cycle", "!": "once", "~": "shuffle"}
_SPECIAL = re.compile(r"[\\{}|:*`]")
_TEXT = r'"(?:[^"\\]|\\.)*+"|' + r"'(?:[^'\\]|\\.)*+'"
_SHOWN = re.compile(rf"""(?:[^"'{{}}|:\\]++|{_TEXT})*+}}""", re.DOTALL)
_ASKED = re.compile(rf"""(?:[^"'{{}}|:\\]++|{_TEXT}|\|\|)*+:""", re.DOTALL)
_ESCAPED = "{}[:：\\" + SIGNS
_ESCAPED_FIRST = frozenset(punctuation)
_NUMBER = re.compile(r"[0-9]{1,9}[.)]").match


class _OpenBrace:
    """An open brace."""

    def __init__(
        self, at: int, begin: int, kind: _Kind = "sequence", asked: Expression | None = None
    ) -> None:
        self.at, self.kind, self.asked = at, kind, asked
        self.begins = [begin]
        """Where each option begins in the text."""
        self.options: list[list[_Part]] = [[]]
        self.colon = -1
        """The offset of the first colon, if it is before any bar."""

    @property
    def is_plain(self) -> bool:
        """Whether it has neither a variation sign nor a condition."""
        return self.asked is None and self.kind == "sequence"


class _TextReader:
    """Reads one text from left to right with a stack of open braces."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text = text
        self.problems: list[NotationError] = []
        self.open: list[_OpenBrace] = []
        self.parts: list[_Part] = []
        self.variations = 0
        self._locate = PlaceFinder(text, line, column).locate

    def read(self) -> Words:
        text, at = self.text, 0
        while len(self.problems) < MOST_PROBLEMS and (found := _SPECIAL.search(text, at)):
            special = found.start()
            self._add_parts(text[at:special])
            at = self._read_special(special)
        self._add_parts(text[at:])
        for brace in reversed(self.open):
            self._report("BRACE_UNCLOSED", brace.at)
            self.open.pop()
            self._add_parts(*self._restore_source(brace))
        return _build_words(text, self.parts)

    def _read_special(self, at: int) -> int:
        character = self.text[at]
        if character == "\\":
            return self._escape(at)
        if character == "{":
            return self._open_brace(at)
        if character in SIGNS:
            found = read_delimiter(self.text, at)
            self._add_parts(found if found.opens or found.closes else found.sign)
            return at + len(found.sign)
        if self.open and character == "}":
            return self._close_brace(at)
        if self.open and character == "|":
            self.open[-1].options.append([])
            self.open[-1].begins.append(at + 1)
            return at + 1
        if self.open and self.open[-1].colon < 0 and len(self.open[-1].options) == 1:
            self.open[-1].colon = at
        self._add_parts(character)
        return at + 1

    def _escape(self, at: int) -> int:
        after = self.text[at + 1 : at + 2]
        if after and self._is_escapable(at, after):
            self._add_parts(after)
            return at + 2
        self._add_parts("\\")
        return at + 1

    def _is_escapable(self, at: int, after: str) -> bool:
        if after in _ESCAPED or (after == "<" and self.text.startswith("!--", at + 2)):
            return True
        if self.open and after in ("|&!~" if at == self.open[-1].begins[0] else "|"):
            return True
        # What Markdown would read as notation at the beginning of a line.
        marks = after in _ESCAPED_FIRST or _NUMBER(self.text, at + 1) is not None
        return marks and self._is_first(at)

    def _is_first(self, at: int) -> bool:
        """Whether only spaces and tabs precede this in its line."""
        while at and self.text[at - 1] in " \t":
            at -= 1
        return not at or self.text[at - 1] == "\n"

    def _open_brace(self, at: int) -> int:
        if len(self.open) >= DEEPEST:
            self._report("EXPRESSION_MALFORMED/braces_deep", at, deepest=DEEPEST)
            self._add_parts("{")
            return at + 1
        if (end := self._open_switch(at)) or (end := self._read_value(at)):
            return end
        kind = _KINDS.get(self.text[at + 1 : at + 2])
        begin = at + 1 if kind is None else at + 2
        self.open.append(_OpenBrace(at, begin, kind or "sequence"))
        return begin

    def _open_switch(self, at: int) -> int:
        found = _ASKED.match(self.text, at + 1, at + 2 + LONGEST)
        asked = self._parse_expression(at + 1, found.end() - 1) if found else None
        if found is None or isinstance(asked, NotationError):
            return 0
        # One space after the colon belongs to the notation.
        begin = found.end() + self.text.startswith(" ", found.end())
        self.open.append(_OpenBrace(at, begin, asked=asked))
        return begin

    def _read_value(self, at: int) -> int:
        if self.text[at + 1 : at + 2] in _KINDS:
            return 0
        found = _SHOWN.match(self.text, at + 1, at + 2 + LONGEST)
        asked = self._parse_expression(at + 1, found.end() - 1) if found else None
        if found is None or not isinstance(asked, Expression):
            return 0
        self._add_parts(ValuePart(asked))
        return found.end()

    def _close_brace(self, at: int) -> int:
        brace = self.open.pop()
        words = [
            _build_words(self.text[begin:end], parts)
            for begin, end, parts in zip(
                brace.begins,
                [*(begin - 1 for begin in brace.begins[1:]), at],
                brace.options,
                strict=True,
            )
        ]
        if self._is_readable(brace, at):
            self._add_parts(self._make_part(brace, words))
        else:
            self._add_parts(*self._restore_source(brace), "}")
        return at + 1

    def _make_part(self, brace: _OpenBrace, words: list[Words]) -> SwitchPart | VariationPart:
        if brace.asked is not None:
            return SwitchPart(brace.asked, words[0], words[1] if len(words) > 1 else "")
        self.variations += 1
        return VariationPart(brace.kind, tuple(words), self.variations - 1)

    def _is_readable(self, brace: _OpenBrace, end: int) -> bool:
        if brace.asked is not None and len(brace.options) > 2:
            bar = brace.begins[2] - 1
            self._report("EXPRESSION_MALFORMED/sides", bar)
            return False
        if not brace.is_plain or (brace.colon < 0 and len(brace.options) > 1):
            return True
        asked = self._parse_expression(brace.at + 1, end if brace.colon < 0 else brace.colon)
        if isinstance(asked, NotationError):
            self._report_expression(asked, brace)
        return False

    def _parse_expression(self, at: int, end: int) -> Expression | NotationError:
        try:
            return parse_expression(self.text[at:end], *self._locate(at))
        except NotationError as problem:
            return problem

    def _restore_source(self, brace: _OpenBrace) -> list[_Part]:
        parts: list[_Part] = [self.text[brace.at : brace.begins[0]]]
        for nth, option in enumerate(brace.options):
            parts += ["|", *option] if nth else option
        return parts

    def _add_parts(self, *parts: _Part) -> None:
        (self.open[-1].options[-1] if self.open else self.parts).extend(parts)

    def _report(self, key: str, at: int, **values: object) -> None:
        self.problems.append(NotationError(key, *self._locate(at), **values))

    def _report_expression(self, problem: NotationError, brace: _OpenBrace) -> None:
        hint = "write \\{ for a brace in the text"
        if self.text.startswith(("if ", "show if "), brace.at + 1):
            hint = "write {expr: text}; only an item takes {if expr}"
        elif brace.colon >= 0 and len(brace.options) > 1:
            hint = "write \\: for a colon in the text"
        if not problem.hint:
            shown, place = problem.message, (problem.line, problem.column)
            problem = NotationError("EXPRESSION_MALFORMED", *place, message=shown, hint=hint)
        self.problems.append(problem)


def _build_words(source: str, parts: list[_Part]) -> Words:
    marks = find_marks(parts)
    merged: list[_Shown | EmphasisMark] = []
    run: list[str] = []
    for at, part in enumerate(parts):
        found: list[_Shown | EmphasisMark] = (
            [*marks[at]] if isinstance(part, EmphasisDelimiter) else [part]
        )
        for each in found:
            if isinstance(each, str):
                run.append(each)
                continue
            if text := "".join(run):
                merged.append(text)
            run = []
            merged.append(each)
    text = "".join(run)
    if not merged:
        return text
    return TextTemplate(source, (*merged, text) if text else tuple(merged))
