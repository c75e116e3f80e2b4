"""A reader of foreign bytes, as the fuzzing uses it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

PART = b"\n=====\n"
"""The separator of an input that consists of several files or several answers."""


class ReaderAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader returned or printed for an input."""

    answer: bytes
    """The whole answer, which must be the same for the same input."""
    shown: str = ""
    """The part of it that a terminal shows, without control characters."""


Read = Callable[[bytes, Path], ReaderAnswer]
"""Read an input in an empty folder. An error of Saniwa's family is an answer; any other
exception is a broken promise, and so is an AssertionError, which names the promise.
"""


class FuzzReader(msgspec.Struct, frozen=True, kw_only=True):
    """One reader, its inputs, and the words that are put into them."""

    name: str
    """Words with dashes; also the name of its folder in the corpus."""
    reads: str
    """What it reads, and through which interface, in a few words."""
    seeds: Callable[[], Sequence[bytes]]
    """Valid inputs to start from."""
    read: Read
    """The function that reads an input."""
    words: tuple[str, ...] = ()
    """Words of its format that are put into inputs."""
    tries: int = 40
    """How many mutations the everyday suite reads: fewer for a slow reader."""


def split_parts(content: bytes, count: int) -> list[bytes]:
    """Split an input into that many parts; missing parts are empty."""
    found = content.split(PART, max(count - 1, 0))[:count]
    return found + [b""] * (count - len(found))


def join_parts(*parts: bytes | str) -> bytes:
    """Join parts into one input."""
    return PART.join(each.encode() if isinstance(each, str) else each for each in parts)
