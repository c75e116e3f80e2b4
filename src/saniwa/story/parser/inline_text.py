"""Parse the text of a line: words with braces, and attributes at its end.

Attributes are the groups in braces after the text: id, tags, values, conditions, a
deed.
"""

import re
from typing import Any

import msgspec

from saniwa.story.expression_parser import Expression, PlaceFinder, parse_expression
from saniwa.story.finding_collector import FindingCollector, NotationError, TextReplacement
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.text_template import SwitchPart, TextPart, TextTemplate, VariationPart, Words


class TrailingAttributes(msgspec.Struct, frozen=True, gc=False):
    """A line, and the attributes at its end."""

    text: str
    """The rest of the line, without trailing spaces."""
    id: str = ""
    """The author's own id."""
    id_column: int = 0
    """Where the id is written, after its `#`."""
    tags: tuple[str, ...] = ()
    """Tags, without their dots."""
    values: tuple[tuple[str, str], ...] = ()
    """Other attributes; sorted by name."""
    once: bool = False
    """Whether the item disappears once chosen."""
    fallback: bool = False
    """Whether the item is taken automatically when nothing else can be chosen."""
    ask: bool = False
    """Whether the item accepts the player's free text."""
    only_if: Expression | None = None
    """The item is hidden unless this is true."""
    enabled_if: Expression | None = None
    """The item is shown but disabled unless this is true."""
    deed: str | None = None
    """The deed in the world, as written."""
    deed_column: int = 0
    """Where the deed's words are written."""
    problems: tuple[NotationError, ...] = ()
    """What is invalid."""


def parse_trailing(text: str, line: int, column: int, *, item: bool) -> TrailingAttributes:
    """Split a line into its text and the attributes in its trailing groups.

    Braces that contain anything else belong to the text, and so does all before them.
    """
    text = text.rstrip()
    if not text.endswith("}"):
        return TrailingAttributes(text)
    reader = _TrailingReader(text, line, column, item)
    return reader.read()


_ATTRIBUTE = re.compile(
    r"""
    \#(?P<id>[^\s{}"'\#=]++)
  | \.(?P<tag>[^\W\d][\w-]*+)
  | (?P<key>[^\W\d][\w-]*+)=(?:"(?P<quoted>[^"]*+)"|(?P<value>[^\s{}"'=][^\s{}"']*+))
    """,
    re.VERBOSE,
)
_MARKS = {"once": "once", "else": "fallback", "ask": "ask"}
_CONDITION = re.compile(r"(?P<show>show\s+)?if(?:\s+|$|(?=[(!]))")
_NEARLY = re.compile(r"(?P<word>show\s*if|show|only\s+if|when|unless|hide\s+if)\s+(?P<asked>\S.*)")
_MEANT = {
    **dict.fromkeys(("showif", "show", "show if"), "show if {}"),
    **dict.fromkeys(("when", "only if"), "if {}"),
    **dict.fromkeys(("unless", "hide if"), "if not ({})"),
}
_ATTRIBUTES = re.compile(r"\#|\.[^\W\d][\w-]*+(?:[\s,]|$)|[^\W\d][\w-]*+=(?!=)")
_DEED = re.compile(r"do(?:\s+|$)")
_BLANKS = re.compile(r"\s++|\Z").match
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


class _TrailingReader:
    """Takes groups off the end of one line until something else is found."""

    def __init__(self, text: str, line: int, column: int, item: bool) -> None:
        self.text, self.item = text, item
        self._locate = PlaceFinder(text, line, column).locate
        self.attributes: dict[str, Any] = {}
        self.tags: list[str] = []
        self.values: dict[str, str] = {}
        self.problems: list[NotationError] = []

    def read(self) -> TrailingAttributes:
        end = len(self.text)
        pairs = _pair_braces(self.text)
        while (begin := pairs.get(end - 1)) is not None and self._take_group(begin + 1, end - 1):
            end = begin
            while end and self.text[end - 1].isspace():
                end -= 1
        if end == len(self.text):
            return TrailingAttributes(self.text)
        return TrailingAttributes(
            self.text[:end],
            tags=tuple(self.tags),
            values=tuple(sorted(self.values.items())),
            problems=tuple(reversed(self.problems)),
            **self.attributes,
        )

    def _take_group(self, begin: int, end: int) -> bool:
        source = self.text[begin:end]
        body = source.strip()
        begin += len(source) - len(source.lstrip())
        if self.item and body in _MARKS:
            self.attributes[_MARKS[body]] = True
            return True
        if self.item and (found := _CONDITION.match(body)):
            self._take_condition(found, body, begin)
            return True
        if found := _DEED.match(body):
            self._take_deed(body[found.end() :], begin + found.end())
            return True
        if self._take_attributes(body, begin):
            return True
        if self.item and (found := _NEARLY.fullmatch(body)):
            return self._take_misspelt(found, begin)
        return self._take_malformed(body, begin)

    def _take_misspelt(self, found: re.Match[str], begin: int) -> bool:
        """Read a misspelled condition, if an expression follows the word."""
        word, asked = " ".join(found["word"].split()), found["asked"]
        try:
            expression = parse_expression(asked, *self._locate(begin + found.start("asked")))
        except NotationError:
            return False
        meant = _MEANT[word].format(asked)
        place = self._locate(begin)
        fix, written = TextReplacement(place[1], len(found[0]), meant), f"{{{found[0]}}}"
        self._report("EXPRESSION_MALFORMED/condition", begin, fix=fix, written=written, meant=meant)
        self.attributes["enabled_if" if word.startswith("show") else "only_if"] = expression
        return True

    def _take_malformed(self, body: str, begin: int) -> bool:
        """Read a group with an invalid id, tag or value, and report it."""
        if not _ATTRIBUTES.match(body) or "|" in body:
            return False
        _, at = _match_attributes(body)
        rest = body[at:]
        word = rest.split(None, 1)[0] if rest.strip() else rest
        key = "ATTRIBUTE_MALFORMED"
        if word == "#" or word.endswith("="):
            key = f"ATTRIBUTE_MALFORMED/{'id' if word == '#' else 'value'}"
        self._report(key, begin + at, word=word, key=word[:-1])
        return True

    def _take_condition(self, found: re.Match[str], body: str, begin: int) -> None:
        at = begin + found.end()
        try:
            asked = parse_expression(body[found.end() :], *self._locate(at))
        except NotationError as problem:
            self.problems.append(problem)
            return
        name = "enabled_if" if found["show"] else "only_if"
        self._set_once(name, asked, at, "EXPRESSION_MALFORMED/conditions")

    def _take_deed(self, words: str, at: int) -> None:
        if not words:
            self._report("EXPRESSION_MALFORMED/deed", at)
            return
        self._set_once("deed", words, at, "EXPRESSION_MALFORMED/deeds")

    def _take_attributes(self, body: str, begin: int) -> bool:
        found, end = _match_attributes(body)
        if end < len(body):
            return False
        tags = []
        for piece in found:
            at = begin + piece.start()
            if piece["id"]:
                self._set_once("id", piece["id"], at + 1, "EXPRESSION_MALFORMED/ids")
            elif piece["tag"]:
                tags.append(piece["tag"])
            else:
                self._add_value(piece, at)
        self.tags[:0] = tags
        return bool(found)

    def _add_value(self, piece: re.Match[str], at: int) -> None:
        key = piece["key"]
        if key in self.values:
            self._report("EXPRESSION_MALFORMED/repeated", at, key=key)
        quoted = piece["quoted"]
        self.values[key] = piece["value"] if quoted is None else quoted

    def _set_once(self, name: str, value: Any, at: int, rule: str) -> None:
        if name in self.attributes:
            self._report(rule, at)
        self.attributes[name] = value
        if name in ("id", "deed"):
            self.attributes[f"{name}_column"] = self._locate(at)[1]

    def _report(self, key: str, at: int, /, **values: Any) -> None:
        self.problems.append(NotationError(key, *self._locate(at), **values))


def _match_attributes(body: str) -> tuple[list[re.Match[str]], int]:
    """Return the attributes a group begins with, and the offset after them."""
    pieces, at = [], 0
    while (found := _ATTRIBUTE.match(body, at)) and (end := _BLANKS(body, found.end())):
        pieces.append(found)
        at = end.end()
    return pieces, at


def _pair_braces(text: str) -> dict[int, int]:
    """Map each closing brace to its opening brace."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            pairs[found.start()] = opened.pop()
    return pairs


_INDENT = re.compile(r"\n[ \t]+")


def parse_words_at(text: str, line: int, column: int, notes: FindingCollector) -> Words:
    """Parse words at a place, and report problems."""
    words, problems = parse_words(text, line, column)
    for each in problems:
        notes.add_problem(each)
    return words


def parse_lines_at(text: str, line: int, column: int, notes: FindingCollector) -> Words:
    """Parse words of several lines, which still have their indents.

    The indents keep the columns in braces correct; they are not part of the words.
    """
    if "{" not in text:
        return parse_words_at(_INDENT.sub("\n", text), line, column, notes)
    return _strip_indents(parse_words_at(text, line, column, notes))


def parse_trailing_at(
    text: str, line: int, column: int, notes: FindingCollector, *, item: bool
) -> TrailingAttributes:
    """Split off the attributes at the end of a text, and report problems."""
    trailing = parse_trailing(text, line, column, item=item)
    for each in trailing.problems:
        notes.add_problem(each)
    return trailing


def _strip_indents(words: Words) -> Words:
    if isinstance(words, str):
        return _INDENT.sub("\n", words)
    parts = tuple(_strip_part_indents(part) for part in words.parts)
    return TextTemplate(_INDENT.sub("\n", words.source), parts)


def _strip_part_indents(part: TextPart) -> TextPart:
    # Recurses as deep as braces nest, which `parse_words` bounds.
    if isinstance(part, str):
        return _INDENT.sub("\n", part)
    if isinstance(part, SwitchPart):
        return SwitchPart(part.worth, _strip_indents(part.yes), _strip_indents(part.no))
    if isinstance(part, VariationPart):
        return VariationPart(part.kind, tuple(map(_strip_indents, part.options)), part.nth)
    return part
