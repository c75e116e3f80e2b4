"""YAML 1.2 with the place of every value, from the C parser's events.

Only the core of YAML: text, numbers, true, false, null, lists, mappings, aliases.
`on`, `no` and `<<` are text, keys are always text, and no tag makes an object.
Values are put together here and not by the library's composer, which follows nesting
and aliases as deep as a hostile file leads it.
"""

import re
from typing import Any, NamedTuple

import yaml

from saniwa.core.quoted import quoted
from saniwa.core.tree import (
    DEEPEST,
    FEWER,
    FLATTER,
    MOST_NODES,
    MOST_REPEATED,
    MOST_REPEATED_LETTERS,
    Repeat,
    Spot,
    TextError,
    Tree,
    fraction,
    whole_number,
)
from saniwa.core.yaml_words import in_plain_words

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
_FRACTION = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
).fullmatch
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff]"
).search
# YAML 1.1, which the C parser speaks, would fold these into spaces or new lines.
_OLD_BREAK = re.compile("[\x85\u2028\u2029]").search


def read_yaml(text: str) -> Tree:
    """The text as one YAML document; an empty text is null.

    Raises:
        TextError: at the first place that is not YAML, or more than we take.
    """
    _check_letters(text)
    reader = _Reader()
    try:
        for event in yaml.parse(text, Loader=_Loader):
            reader.take(event)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        offset = mark.index if mark is not None else 0
        told = in_plain_words(problem.problem or "this is not YAML")
        raise TextError(offset, *told) from problem
    except yaml.YAMLError as problem:
        raise TextError(0, str(problem)) from problem
    return Tree(reader.plain, reader.spot, tuple(reader.repeats))


def _check_letters(text: str) -> None:
    found = _CONTROL(text)
    if found is not None:
        raise TextError(
            found.start(),
            f"the control character U+{ord(found.group()):04X} stands in the text",
            f'write it as an escape in double quotes: "\\u{ord(found.group()):04x}"',
        )
    found = _OLD_BREAK(text)
    if found is not None:
        raise TextError(
            found.start(),
            f"the line separator U+{ord(found.group()):04X} stands in the text",
            f'write it as an escape in double quotes: "\\u{ord(found.group()):04x}"',
        )


class _Node(NamedTuple):
    plain: Any
    spot: Spot
    size: int
    """How many values it holds, itself included."""
    height: int
    """How many levels it nests."""
    letters: int
    """How many letters it has, keys included."""
    text: str | None = None
    """A scalar as written: what it is as a key."""


class _Open:
    """A list or mapping whose end has not come yet."""

    def __init__(self, offset: int, anchor: str | None, values: Any) -> None:
        self.offset = offset
        self.anchor = anchor
        self.values = values
        self.spots: Any = {} if isinstance(values, dict) else []
        self.key: tuple[str, int] | None = None
        self.size = 1
        self.height = 1
        self.letters = 0

    def step(self) -> str | int:
        """Where the next value goes."""
        if isinstance(self.values, dict):
            return self.key[0] if self.key else ""
        return len(self.values)

    def node(self) -> _Node:
        spot = (self.offset, self.spots)
        return _Node(self.values, spot, self.size, self.height, self.letters)


class _Reader:
    def __init__(self) -> None:
        self.plain: Any = None
        self.spot: Spot = 0
        self.repeats: list[Repeat] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Node] = {}
        self._documents = 0
        self._repeated_values = 0
        self._repeated_letters = 0

    def take(self, event: Any) -> None:
        at = event.start_mark.index
        if isinstance(event, yaml.ScalarEvent):
            self._add(at, _scalar(event, at), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add(at, self._repeated(str(event.anchor), at), None)
        elif isinstance(event, yaml.MappingStartEvent):
            self._enter(event, at, {}, "map")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._enter(event, at, [], "seq")
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            self._add(done.offset, done.node(), done.anchor)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise TextError(
                    at, "a second document begins here", "one file, one document"
                )

    def _enter(self, event: Any, at: int, values: Any, kind: str) -> None:
        if event.tag not in (None, "!", _CORE + kind):
            raise _foreign(event.tag, at)
        outer = self._open[-1] if self._open else None
        if outer and isinstance(outer.values, dict) and outer.key is None:
            raise TextError(at, "a list or mapping stands where a key should")
        if len(self._open) >= DEEPEST:
            raise TextError(at, f"this nests deeper than {DEEPEST} levels", FLATTER)
        self._open.append(_Open(at, event.anchor, values))

    def _repeated(self, anchor: str, at: int) -> _Node:
        if any(outer.anchor == anchor for outer in self._open):
            name = quoted(f"*{anchor}")
            raise TextError(at, f"{name} stands inside what it stands for")
        node = self._anchors.get(anchor)
        if node is None:
            names = quoted(f"&{anchor}"), quoted(f"*{anchor}")
            raise TextError(at, f"no {names[0]} stands before this {names[1]}")
        if len(self._open) + node.height > DEEPEST:
            raise TextError(at, f"this nests deeper than {DEEPEST} levels", FLATTER)
        self._weigh(node, at)
        spot = (at, node.spot[1]) if isinstance(node.spot, tuple) else at
        return node._replace(spot=spot)

    def _weigh(self, node: _Node, at: int) -> None:
        """Count what an alias stands for: ten of ten of ten add up, and so do letters.

        Apart from what is written out, since a short file can mean so much by it.
        """
        self._repeated_values += node.size
        self._repeated_letters += node.letters
        if self._repeated_values > MOST_REPEATED:
            what = f"{MOST_REPEATED} values"
        elif self._repeated_letters > MOST_REPEATED_LETTERS:
            what = f"{MOST_REPEATED_LETTERS} letters"
        else:
            return
        hint = "write out what differs, and repeat less"
        raise TextError(at, f"aliases repeat more than {what}", hint)

    def _add(self, at: int, node: _Node, anchor: str | None) -> None:
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
                raise TextError(at, "a list or mapping stands where a key should")
            outer.key = (node.text, at)
        else:
            self._pair(outer, node)

    def _pair(self, outer: _Open, node: _Node) -> None:
        assert outer.key is not None, "a value comes after its key"
        key, at = outer.key
        if key in outer.values:
            path = tuple(o.step() for o in self._open)
            self.repeats.append(Repeat(path, at, outer.spots[key][0]))
        else:
            outer.values[key] = node.plain
            outer.spots[key] = (at, node.spot)
        outer.key = None


def _scalar(event: Any, at: int) -> _Node:
    text: str = event.value
    tag = event.tag
    if tag in (None, "!"):
        plain = event.implicit[0] and tag is None
        return _Node(_meaning(text, at) if plain else text, at, 1, 0, len(text), text)
    if tag == _CORE + "str":
        return _Node(text, at, 1, 0, len(text), text)
    meaning = _meaning(text, at)
    kinds: dict[str, Any] = {
        "null": type(None),
        "bool": bool,
        "int": int,
        "float": (int, float),
    }
    kind = kinds.get(tag.removeprefix(_CORE)) if tag.startswith(_CORE) else None
    if kind is None:
        raise _foreign(tag, at)
    if not isinstance(meaning, kind):
        raise TextError(at, f"{quoted(text)} is not what its tag {quoted(tag)} says")
    return _Node(meaning, at, 1, 0, len(text), text)


def _meaning(text: str, at: int) -> Any:
    """A plain scalar as YAML 1.2's core schema reads it."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _START:
        return text
    if _WHOLE(text):
        return whole_number(text, 10, at)
    for pattern, base in ((_OCTAL, 8), (_HEX, 16)):
        found = pattern(text)
        if found:
            return whole_number(found.group(1), base, at)
    if _FRACTION(text):
        return fraction(text, at)
    if _NO_NUMBER(text):
        raise TextError(at, f"{text} is no number", "use a number or null")
    return text


def _foreign(tag: str, at: int) -> TextError:
    return TextError(
        at, f"the tag {quoted(tag)} is not known here", "write the value without a tag"
    )
