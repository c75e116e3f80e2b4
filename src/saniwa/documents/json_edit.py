"""Adds values to a JSON text and takes them out; every other byte stays as it is.

Comments and commas before a closing bracket are accepted, because editors accept them in
their settings.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from saniwa.documents.document_tree import DEEPEST

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)|(?P<text>"(?:\\.|[^"\\])*")"""
    r"""|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"/]+)""",
    re.DOTALL,
)
_CLOSING = {"{": "}", "[": "]"}


class JsonPart(NamedTuple):
    """A value in a text, and where it begins and ends."""

    value: Any
    """The value."""
    start: int
    """The offset of its first character."""
    end: int
    """The offset after its last character."""
    parts: "tuple[tuple[str | int, int, JsonPart], ...]" = ()
    """Its members or items: key or number, the offset where each begins, and its value."""
    is_closed_by_comma: bool = False
    """Whether a comma follows its last member or item."""

    def find(self, key: str | int) -> "JsonPart | None":
        """Return a member or item; None if there is none."""
        return next((part for name, _, part in self.parts if name == key), None)


def parse_json_parts(text: str) -> JsonPart:
    """Return the value of a JSON text, with the place of every value in it.

    Raises:
        ValueError: The text is no JSON.
    """
    tokens = [*_iterate_tokens(text)]
    part, after = _read_part(tokens, 0, 0)
    if after != len(tokens):
        raise ValueError(f"unexpected text at offset {tokens[after].start()}")
    return part


def insert_json_value(text: str, path: Sequence[str], key: str | None, value: Any) -> str:
    """Return a JSON text with one more value, as the last of its object or list.

    Args:
        text: The text; an empty one counts as an empty object.
        path: The object or list that gets it; missing ones are added.
        key: Its key in an object; None in a list.
        value: The value.

    Raises:
        ValueError: The text is no JSON, or the path leads to another kind of value.
    """
    text = text if text.strip() else "{}\n"
    part = parse_json_parts(text)
    for nth, step in enumerate(path):
        inner = part.find(step)
        if inner is None:
            added = [value] if key is None else {key: value}
            for name in reversed(path[nth + 1 :]):
                added = {name: added}
            return _insert(text, part, step, added)
        part = inner
    return _insert(text, part, key, value)


def remove_json_value(text: str, path: Sequence[str | int]) -> str:
    """Return a JSON text without a value; objects and lists that get empty go as well.

    The outermost object stays.

    Raises:
        ValueError: The text is no JSON.
        KeyError: There is no such value.
    """
    chain = [parse_json_parts(text)]
    for step in path:
        inner = chain[-1].find(step)
        if inner is None:
            raise KeyError(step)
        chain.append(inner)
    depth = len(path) - 1
    while depth > 0 and len(chain[depth].parts) == 1:
        depth -= 1
    return _remove(text, chain[depth], path[depth])


def _iterate_tokens(text: str) -> list[re.Match[str]]:
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"unexpected text at offset {at}")
        at = token.end()
        if token.lastgroup != "space":
            found.append(token)
    return found


def _read_part(tokens: list[re.Match[str]], at: int, depth: int) -> tuple[JsonPart, int]:
    """Return the value that begins at a token, and the number of the token after it."""
    if at >= len(tokens) or depth > DEEPEST:
        raise ValueError("the text ends too early, or is nested too deeply")
    token = tokens[at]
    if token[0] in _CLOSING:
        return _read_container(tokens, at, depth)
    # Also raises for a bracket, colon or comma in the place of a value.
    return JsonPart(json.loads(token[0]), token.start(), token.end()), at + 1


def _read_container(tokens: list[re.Match[str]], at: int, depth: int) -> tuple[JsonPart, int]:
    opened, parts, comma = tokens[at], list[tuple[str | int, int, JsonPart]](), False
    at += 1
    while at < len(tokens) and tokens[at][0] != _CLOSING[opened[0]]:
        if parts and not comma:
            raise ValueError(f"a comma is missing at offset {tokens[at].start()}")
        begin, key = tokens[at].start(), len(parts)
        name: str | int = key
        if opened[0] == "{":
            name, at = _read_key(tokens, at)
        part, at = _read_part(tokens, at, depth + 1)
        parts.append((name, begin, part))
        comma = at < len(tokens) and tokens[at][0] == ","
        at += comma
    if at >= len(tokens):
        raise ValueError("a closing bracket is missing")
    values = [part.value for _, _, part in parts]
    value = values if opened[0] == "[" else {name: part.value for name, _, part in parts}
    return JsonPart(value, opened.start(), tokens[at].end(), tuple(parts), comma), at + 1


def _read_key(tokens: list[re.Match[str]], at: int) -> tuple[str, int]:
    if tokens[at].lastgroup != "text" or at + 1 >= len(tokens) or tokens[at + 1][0] != ":":
        raise ValueError(f"a key is missing at offset {tokens[at].start()}")
    return json.loads(tokens[at][0]), at + 2


def _insert(text: str, part: JsonPart, key: str | None, value: Any) -> str:
    if not isinstance(part.value, list if key is None else dict):
        raise ValueError(f"the value at offset {part.start} is of another kind")
    outer = _find_indent(text, part.start)
    if part.parts:
        inner = _find_indent(text, part.parts[0][1])
        last = part.parts[-1][2].end
        written = _render(key, value, inner)
        # A list or object on one line stays on one line.
        gap = f"\n{inner}" if "\n" in text[part.start : part.parts[0][1]] else " "
        at = _find_comma(text, last) + 1 if part.is_closed_by_comma else last
        added = f"{gap}{written}," if part.is_closed_by_comma else f",{gap}{written}"
        return f"{text[:at]}{added}{text[at:]}"
    inner = f"{outer}  "
    written = f"\n{inner}{_render(key, value, inner)}\n{outer}"
    return f"{text[: part.start + 1]}{written}{text[part.end - 1 :]}"


def _render(key: str | None, value: Any, indent: str) -> str:
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    return name + json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"\n{indent}")


def _find_indent(text: str, at: int) -> str:
    """Return the spaces before the first character of the line of an offset."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_comma(text: str, at: int) -> int:
    """Return the offset of the comma after a value, which comments may precede."""
    token = _TOKEN.match(text, at)
    if token is not None and token.lastgroup == "space":
        return token.end()
    return at


def _remove(text: str, part: JsonPart, key: str | int) -> str:
    nth = [name for name, _, _ in part.parts].index(key)
    begin, end = part.parts[nth][1], part.parts[nth][2].end
    if nth + 1 < len(part.parts):
        following, comma = part.parts[nth + 1][1], _find_comma(text, end)
        end = comma + 1 if text[comma + 1 : following].strip() else following
    elif nth > 0:
        comma = _find_comma(text, part.parts[nth - 1][2].end)
        # Comments between the two belong to the one that stays.
        between = text[comma + 1 : begin].rstrip()
        if part.is_closed_by_comma:
            return f"{text[: comma + 1]}{between}{text[_find_comma(text, end) + 1 :]}"
        return f"{text[:comma]}{between}{text[end:]}"
    elif not (text[part.start + 1 : begin] + text[end : part.end - 1]).strip(" \t\r\n,"):
        begin, end = part.start + 1, part.end - 1
    return text[:begin] + text[end:]
