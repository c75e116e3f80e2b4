"""YAML 1.2 with the place of every value, from the C parser's events.

Only the core of YAML: text, numbers, true, false, null, lists, mappings, aliases. `on`,
`no` and `<<` are text, keys are always text, and no tag creates an object. Values are
assembled here and not by the library's composer, which follows nesting and aliases as
deep as a hostile file leads it.
"""

import re
from typing import Any, NamedTuple

import yaml

from saniwa.core.text import quote_value
from saniwa.documents.document_tree import (
    DEEPEST,
    FEWER,
    FLATTER,
    MOST_NODES,
    MOST_REPEATED,
    MOST_REPEATED_LETTERS,
    DocumentTree,
    DuplicateKey,
    Offsets,
    TextError,
    parse_fraction,
    parse_whole_number,
)

_KEY = "indent it like the keys around it; nothing may follow a quoted text on its line"
_PLAIN = {
    "mapping values are not allowed in this context": (
        "a ': ' is not allowed here",
        "quote a text that contains ': ', or indent the line like those around it",
    ),
    "did not find expected key": ("this does not fit the keys before it", _KEY),
    "could not find expected ':'": ("a key has no ':' after it", _KEY),
    "did not find expected '-' indicator": (
        "this does not fit the list before it",
        "start every item with '-', all in the same column",
    ),
    "block sequence entries are not allowed in this context": (
        "a list item cannot start here",
        "put each '-' on a line of its own, or write [a, b]",
    ),
    "did not find expected ',' or ']'": (
        "a '[' before this is not closed",
        "put ',' between two items and ']' after the last",
    ),
    "did not find expected ',' or '}'": (
        "a '{' before this is not closed",
        "put ',' between two keys and '}' after the last; texts with '{' need quotes",
    ),
    "did not find expected node content": (
        "a value is missing here, or a ',', ']' or '}' is one too many",
        "write the value; close every '[' with ']' and every '{' with '}', the inner one first",
    ),
    "did not find expected <document start>": (
        "nothing may follow the end of the document",
        "remove a ']' or '}' that closes nothing, and anything after '...'",
    ),
    "found a tab character that violates indentation": (
        "this line is indented with a tab",
        "indent with spaces",
    ),
    "did not find expected comment or line break": (
        "the text after '|' or '>' begins on the next line",
        "move it there and indent it; or put the text in quotes",
    ),
    "found unexpected document indicator": (
        "a quoted text is not closed before this line",
        "close the quote where the text ends; indent lines of a text that begin with '---' or '...'",
    ),
    "did not find expected hexdecimal number": (
        "the escape before this needs hexadecimal digits",
        "write \\\\ for a backslash, or use single quotes",
    ),
    "did not find expected alphabetic or numeric character": (
        "'*' and '&' mean something else in YAML",
        'put it in quotes: "*"',
    ),
    "found character that cannot start any token": (
        "no value can start with this character",
        "put the text in quotes; indent with spaces, never with tabs",
    ),
    "found unexpected end of stream": (
        "the file ends inside a quoted text",
        "close the quote where the text ends",
    ),
    "found unknown escape character": (
        "there is no such escape in double quotes",
        "write \\\\ for a backslash, or use single quotes",
    ),
}


def explain_problem(message: str) -> tuple[str, str]:
    """Return the parser's problem in plain words, with a hint; unchanged if unknown."""
    return _PLAIN.get(message, (message, ""))


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_START = frozenset("0123456789+-.")
_WHOLE = re.compile(r"[-+]?[0-9]+").fullmatch
_OCTAL = re.compile(r"0o([0-7]+)").fullmatch
_HEX = re.compile(r"0x([0-9a-fA-F]+)").fullmatch
_FRACTION = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?").fullmatch
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff]").search
# YAML 1.1, which the C parser implements, would fold these into spaces or new lines.
_OLD_BREAK = re.compile("[\x85\u2028\u2029]").search


def parse_yaml(text: str) -> DocumentTree:
    """Parse the text as one YAML document; an empty text is null.

    Raises:
        TextError: At the first place that is not YAML, or exceeds a limit.
    """
    _check_characters(text)
    reader = _YamlReader()
    try:
        for event in yaml.parse(text, Loader=_Loader):
            reader.take_event(event)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        offset = mark.index if mark is not None else 0
        explanation = explain_problem(problem.problem or "this is not YAML")
        raise TextError(offset, *explanation) from problem
    except yaml.YAMLError as problem:
        raise TextError(0, str(problem)) from problem
    return DocumentTree(reader.plain, reader.spot, tuple(reader.repeats))


def _check_characters(text: str) -> None:
    found = _CONTROL(text)
    if found is not None:
        raise TextError(
            found.start(),
            f"the control character U+{ord(found.group()):04X} is not allowed in the text",
            f'write it as an escape in double quotes: "\\u{ord(found.group()):04x}"',
        )
    found = _OLD_BREAK(text)
    if found is not None:
        raise TextError(
            found.start(),
            f"the line separator U+{ord(found.group()):04X} is not allowed in the text",
            f'write it as an escape in double quotes: "\\u{ord(found.group()):04x}"',
        )


class _YamlNode(NamedTuple):
    plain: Any
    spot: Offsets
    size: int
    """How many values it contains, itself included."""
    height: int
    """How many levels it nests."""
    letters: int
    """How many characters it has, keys included."""
    text: str | None = None
    """The text of a scalar as written: its value as a key."""


class _OpenCollection:
    """A list or mapping whose end has not been reached."""

    def __init__(self, offset: int, anchor: str | None, values: Any) -> None:
        self.offset = offset
        self.anchor = anchor
        self.values = values
        self.spots: Any = {} if isinstance(values, dict) else []
        self.key: tuple[str, int] | None = None
        self.size = 1
        self.height = 1
        self.letters = 0

    def get_step(self) -> str | int:
        """Return the key or index of the next value."""
        if isinstance(self.values, dict):
            return self.key[0] if self.key else ""
        return len(self.values)

    def build_node(self) -> _YamlNode:
        spot = (self.offset, self.spots)
        return _YamlNode(self.values, spot, self.size, self.height, self.letters)


class _YamlReader:
    def __init__(self) -> None:
        self.plain: Any = None
        self.spot: Offsets = 0
        self.repeats: list[DuplicateKey] = []
        self._open: list[_OpenCollection] = []
        self._anchors: dict[str, _YamlNode] = {}
        self._documents = 0
        self._repeated_values = 0
        self._repeated_letters = 0

    def take_event(self, event: Any) -> None:
        at = event.start_mark.index
        if isinstance(event, yaml.ScalarEvent):
            self._add_node(at, _read_scalar(event, at), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add_node(at, self._resolve_alias(str(event.anchor), at), None)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open_collection(event, at, {}, "map")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open_collection(event, at, [], "seq")
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            self._add_node(done.offset, done.build_node(), done.anchor)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise TextError(at, "a second document starts here", "a file contains one document")

    def _open_collection(self, event: Any, at: int, values: Any, kind: str) -> None:
        if event.tag not in (None, "!", _CORE + kind):
            raise _make_tag_error(event.tag, at)
        outer = self._open[-1] if self._open else None
        if outer and isinstance(outer.values, dict) and outer.key is None:
            raise TextError(at, "a list or mapping cannot be a key")
        if len(self._open) >= DEEPEST:
            raise TextError(at, f"this is nested deeper than {DEEPEST} levels", FLATTER)
        self._open.append(_OpenCollection(at, event.anchor, values))

    def _resolve_alias(self, anchor: str, at: int) -> _YamlNode:
        if any(outer.anchor == anchor for outer in self._open):
            name = quote_value(f"*{anchor}")
            raise TextError(at, f"{name} is inside the value it refers to")
        node = self._anchors.get(anchor)
        if node is None:
            names = quote_value(f"&{anchor}"), quote_value(f"*{anchor}")
            raise TextError(at, f"there is no {names[0]} before this {names[1]}")
        if len(self._open) + node.height > DEEPEST:
            raise TextError(at, f"this is nested deeper than {DEEPEST} levels", FLATTER)
        self._count_alias(node, at)
        spot = (at, node.spot[1]) if isinstance(node.spot, tuple) else at
        return node._replace(spot=spot)

    def _count_alias(self, node: _YamlNode, at: int) -> None:
        """Count what an alias repeats: nested aliases multiply, and so do characters.

        Counted apart from what is written out, since a short file can expand to so
        much.
        """
        self._repeated_values += node.size
        self._repeated_letters += node.letters
        if self._repeated_values > MOST_REPEATED:
            what = f"{MOST_REPEATED} values"
        elif self._repeated_letters > MOST_REPEATED_LETTERS:
            what = f"{MOST_REPEATED_LETTERS} letters"
        else:
            return
        hint = "use fewer aliases"
        raise TextError(at, f"aliases repeat more than {what}", hint)

    def _add_node(self, at: int, node: _YamlNode, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.plain, self.spot = node.plain, node.spot
            return
        outer = self._open[-1]
        outer.size += node.size
        outer.letters += node.letters
        if outer.size > MOST_NODES:
            raise TextError(at, f"there are more than {MOST_NODES} values", FEWER)
        outer.height = max(outer.height, node.height + 1)
        if isinstance(outer.values, list):
            outer.values.append(node.plain)
            outer.spots.append(node.spot)
        elif outer.key is None:
            if node.text is None:
                raise TextError(at, "a list or mapping cannot be a key")
            outer.key = (node.text, at)
        else:
            self._add_pair(outer, node)

    def _add_pair(self, outer: _OpenCollection, node: _YamlNode) -> None:
        assert outer.key is not None, "a value comes after its key"
        key, at = outer.key
        if key in outer.values:
            path = tuple(o.get_step() for o in self._open)
            self.repeats.append(DuplicateKey(path, at, outer.spots[key][0]))
        else:
            outer.values[key] = node.plain
            outer.spots[key] = (at, node.spot)
        outer.key = None


def _read_scalar(event: Any, at: int) -> _YamlNode:
    text: str = event.value
    tag = event.tag
    if tag in (None, "!"):
        plain = event.implicit[0] and tag is None
        return _YamlNode(_resolve_scalar(text, at) if plain else text, at, 1, 0, len(text), text)
    if tag == _CORE + "str":
        return _YamlNode(text, at, 1, 0, len(text), text)
    meaning = _resolve_scalar(text, at)
    kinds: dict[str, Any] = {"null": type(None), "bool": bool, "int": int, "float": (int, float)}
    kind = kinds.get(tag.removeprefix(_CORE)) if tag.startswith(_CORE) else None
    if kind is None:
        raise _make_tag_error(tag, at)
    if not isinstance(meaning, kind):
        raise TextError(at, f"{quote_value(text)} cannot have the tag {quote_value(tag)}")
    return _YamlNode(meaning, at, 1, 0, len(text), text)


def _resolve_scalar(text: str, at: int) -> Any:
    """A plain scalar as YAML 1.2's core schema reads it."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _START:
        return text
    if _WHOLE(text):
        return parse_whole_number(text, 10, at)
    for pattern, base in ((_OCTAL, 8), (_HEX, 16)):
        found = pattern(text)
        if found:
            return parse_whole_number(found.group(1), base, at)
    if _FRACTION(text):
        return parse_fraction(text, at)
    if _NO_NUMBER(text):
        raise TextError(at, f"{text} is not a number", "use a number or null")
    return text


def _make_tag_error(tag: str, at: int) -> TextError:
    return TextError(
        at, f"the tag {quote_value(tag)} is not supported", "write the value without a tag"
    )
