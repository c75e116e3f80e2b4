"""What a model writes among its words: fenced blocks, and JSON values.

This is the only reader of replies. Whatever a model writes is read in bounded time and
memory; what cannot be read is not there.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

LONGEST_JSON = 200_000
"""Letters of a text that is still read as JSON."""
_MARKS = ("`", "~")
_SHORTEST = 3


class FencedBlock(NamedTuple):
    """One fenced block."""

    info: str
    """What stands behind the fence: `json`."""
    text: str
    """What it holds, line by line, without the indentation of its fence."""

    def has_info(self, info: str) -> bool:
        """Whether that, or that before anything else, stands behind the fence."""
        own, wanted = self.info.lower(), info.lower()
        return own == wanted or own.split(maxsplit=1)[:1] == [wanted]


class ReplyValue(NamedTuple):
    """One JSON value."""

    value: Any
    """The value; of a key written twice, the last."""
    text: str
    """The text it was read from."""


class _Fence(NamedTuple):
    mark: str
    """Its marks: three or more of one kind."""
    info: str
    indent: int

    def is_closed_by(self, bare: str) -> bool:
        """Whether a line of marks alone, as many or more, ends it."""
        return bare.startswith(self.mark) and not bare.strip(self.mark[0])


def find_fenced_blocks(text: str) -> Iterator[FencedBlock]:
    """The fenced blocks in order, between lines of backticks or of tildes.

    A block may be indented, as under an item of a list. One that is never closed goes on
    to the end of the reply.
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
    """What the blocks hold that bear an info string, in order; its case is no matter."""
    return (block.text for block in find_fenced_blocks(text) if block.has_info(info))


def _open_fence(line: str, bare: str) -> _Fence | None:
    """The fence a line opens."""
    for mark in _MARKS:
        info = bare.lstrip(mark)
        length = len(bare) - len(info)
        # Backticks further on mean that these are words in a sentence: ```x```.
        if length >= _SHORTEST and not (mark == "`" and mark in info):
            indent = len(line) - len(line.lstrip())
            return _Fence(mark * length, info.strip(), indent)
    return None


def _outdent_line(line: str, indent: int) -> str:
    """The line without as much space in front as its fence has."""
    return line[min(indent, len(line) - len(line.lstrip())) :]


def find_json_values(text: str, *infos: str) -> Iterator[ReplyValue]:
    """The JSON of a reply: the whole of it, or else that of each of its blocks.

    With `infos`, only that of blocks which bear one of them.
    """
    whole = parse_json(text)
    if whole is not None:
        yield whole
        return
    for block in find_fenced_blocks(text):
        if infos and not any(block.has_info(info) for info in infos):
            continue
        found = parse_json(block.text)
        if found is not None:
            yield found


def find_json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a reply, in order; of a list, its items that are objects."""
    for found in find_json_values(text):
        values = found.value if isinstance(found.value, list) else [found.value]
        yield from (each for each in values if isinstance(each, dict))


def extract_object(text: str) -> dict[str, Any] | None:
    """The object that a reply is: the whole of it, or its only `json` block.

    Of two blocks nobody could say which is meant, so neither is.
    """
    whole = parse_json(text)
    if whole is None:
        found = find_block_texts(text, "json")
        only, another = next(found, None), next(found, None)
        whole = parse_json(only) if only is not None and another is None else None
    return whole.value if whole is not None and isinstance(whole.value, dict) else None


def parse_json(text: str) -> ReplyValue | None:
    """The text as JSON; None where it is none, too long or too deep."""
    if len(text) > LONGEST_JSON:
        return None
    try:
        return ReplyValue(msgspec.json.decode(text), text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
