"""Parse the braces, emphasis marks and escapes in a text."""

import re
from string import punctuation
from typing import Final, Literal

from saniwa.story.expression_parser import LONGEST, Expression, PlaceFinder, parse_expression
from saniwa.story.finding_collector import NotationError
from saniwa.story.parser.emphasis import SIGNS, EmphasisDelimiter, find_marks, read_delimiter
from saniwa.story.text_template import (
    EmphasisMark,
    SwitchPart,
    TextTemplate,
    ValuePart,
    VariationPart,
    Words,
)

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
