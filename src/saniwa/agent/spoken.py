"""What a model writes among its words: fenced blocks, and JSON values.

Whatever it writes is read in bounded time and memory; what cannot be read is not there.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

LONGEST = 100_000
"""Letters of a text that is still read as JSON."""
_FENCE = "```"


class Block(NamedTuple):
    """One fenced block."""

    info: str
    """What stands behind the fence: `json`."""
    text: str
    """What it holds, line by line."""


class Spoken(NamedTuple):
    """One JSON value."""

    value: Any
    """The value; of a key written twice, the last."""
    text: str
    """The text it was read from."""


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks in order; one that is never closed goes on to the end."""
    if _FENCE not in text:
        return
    fence, info, lines = "", "", list[str]()
    for line in text.split("\n"):
        bare = line.strip()
        if not fence:
            fence, info = _opened(bare)
        elif bare.startswith(fence) and not bare.strip("`"):
            yield Block(info, "\n".join(lines))
            fence, lines = "", []
        else:
            lines.append(line)
    if fence:
        yield Block(info, "\n".join(lines))


def _opened(bare: str) -> tuple[str, str]:
    """The fence a line opens and what stands behind it; empty where it opens none."""
    info = bare.lstrip("`")
    fence = bare[: len(bare) - len(info)]
    if len(fence) < len(_FENCE) or "`" in info:
        return "", ""
    return fence, info.strip()


def spoken(text: str, *infos: str) -> Iterator[Spoken]:
    """The JSON of a reply: the whole of it, or else that of each of its blocks.

    With `infos`, only that of blocks which bear one of them.
    """
    whole = read(text)
    if whole is not None:
        yield whole
        return
    for block in blocks(text):
        if infos and block.info.lower() not in infos:
            continue
        found = read(block.text)
        if found is not None:
            yield found


def read(text: str) -> Spoken | None:
    """The text as JSON; None where it is none, too long or too deep."""
    if len(text) > LONGEST:
        return None
    try:
        return Spoken(msgspec.json.decode(text), text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
