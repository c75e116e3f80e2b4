"""Finds fenced blocks and JSON values in a model's reply.

This is the only parser of replies. It takes bounded time and memory for any text;
invalid parts are skipped.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

LONGEST_JSON = 200_000
"""Characters of the longest text that is parsed as JSON."""
_MARKS = ("`", "~")
_SHORTEST = 3


class FencedBlock(NamedTuple):
    """One fenced block."""

    info: str
    """The text after the opening fence: `json`."""
    text: str
    """Its content, line by line, without the indentation of its fence."""

    def has_info(self, info: str) -> bool:
        """Whether the info string is this word, or begins with it."""
        own, wanted = self.info.lower(), info.lower()
        return own == wanted or own.split(maxsplit=1)[:1] == [wanted]


class ReplyValue(NamedTuple):
    """One JSON value."""

    value: Any
    """The value; if a key occurs twice, the last one counts."""
    text: str
    """The text it was read from."""


class _Fence(NamedTuple):
    mark: str
    """Its marks: three or more of one kind."""
    info: str
    indent: int

    def is_closed_by(self, bare: str) -> bool:
        """Whether a line consists only of its marks, as many or more."""
        return bare.startswith(self.mark) and not bare.strip(self.mark[0])


def find_fenced_blocks(text: str) -> Iterator[FencedBlock]:
    """Find the fenced blocks in order, between lines of backticks or tildes.

    A block may be indented, as under a list item. One that is never closed extends to
    the end of the reply.
    """
    if all(mark * _SHORTEST not in text for mark in _MARKS):
        return
    fence: _Fence | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        if fence is None:
            fence = _open_fence(line, bare)
        elif fence.is_closed_by(bare):
            yield FencedBlock(fence.info, "\n".join(lines))
            fence, lines = None, []
        else:
            lines.append(_outdent_line(line, fence.indent))
    if fence is not None:
        yield FencedBlock(fence.info, "\n".join(lines))


def find_block_texts(text: str, info: str) -> Iterator[str]:
    """Return the contents of the blocks with this info string, ignoring case."""
    return (block.text for block in find_fenced_blocks(text) if block.has_info(info))


def _open_fence(line: str, bare: str) -> _Fence | None:
    """Return the fence that a line opens, or None."""
    for mark in _MARKS:
        info = bare.lstrip(mark)
        length = len(bare) - len(info)
        # Backticks later in the line mean inline code: ```x```.
        if length >= _SHORTEST and not (mark == "`" and mark in info):
            indent = len(line) - len(line.lstrip())
            return _Fence(mark * length, info.strip(), indent)
    return None


def _outdent_line(line: str, indent: int) -> str:
    """Remove at most the fence's indentation from a line."""
    return line[min(indent, len(line) - len(line.lstrip())) :]


def find_json_values(text: str, *infos: str) -> Iterator[ReplyValue]:
    """Find the JSON of a reply: the whole reply, or else each of its blocks.

    With `infos`, only blocks with one of these info strings count.
    """
    parsed = parse_json(text)
    if parsed is not None:
        yield parsed
        return
    for block in find_fenced_blocks(text):
        if infos and not any(block.has_info(info) for info in infos):
            continue
        found = parse_json(block.text)
        if found is not None:
            yield found


def find_json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Find every JSON object of a reply, in order.

    Of a list, the items that are objects.
    """
    for found in find_json_values(text):
        values = found.value if isinstance(found.value, list) else [found.value]
        yield from (each for each in values if isinstance(each, dict))


def extract_object(text: str) -> dict[str, Any] | None:
    """Return the one object of a reply: the whole reply, or its only `json` block.

    With two blocks it is unclear which is meant, so neither is returned.
    """
    parsed = parse_json(text)
    if parsed is None:
        found = find_block_texts(text, "json")
        only, another = next(found, None), next(found, None)
        parsed = parse_json(only) if only is not None and another is None else None
    return parsed.value if parsed is not None and isinstance(parsed.value, dict) else None


def parse_json(text: str) -> ReplyValue | None:
    """Parse a text as JSON; None if it is invalid, too long or too deeply nested."""
    if len(text) > LONGEST_JSON:
        return None
    try:
        return ReplyValue(msgspec.json.decode(text), text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
