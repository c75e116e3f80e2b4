"""A reader of foreign bytes, as the fuzzing sees it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

PART = b"\n=====\n"
"""What stands between the parts of an input that is several files, or several answers."""


class ReaderAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader said to an input."""

    answer: bytes
    """All of it, to be compared: the same input, the same answer."""
    shown: str = ""
    """What of it a terminal shows; no control character may be in it."""


Read = Callable[[bytes, Path], ReaderAnswer]
"""Read an input in an empty folder. An error of Saniwa's family is an answer, any other
exception is a broken promise, and so is an AssertionError, which says which."""


class FuzzReader(msgspec.Struct, frozen=True, kw_only=True):
    """One reader, what it is given, and what else it could be given."""

    name: str
    """In words with dashes; a folder of the corpus is called so."""
    reads: str
    """What it reads, and by which door, in a few words."""
    seeds: Callable[[], Sequence[bytes]]
    """Sound inputs to begin from."""
    read: Read
    """How it is asked."""
    words: tuple[str, ...] = ()
    """Words of its format that are put into inputs."""
    tries: int = 40
    """Mutations of it in the everyday suite: fewer for a slow one."""


def split_parts(content: bytes, count: int) -> list[bytes]:
    """So many parts of an input; those it has not are empty."""
    found = content.split(PART, max(count - 1, 0))[:count]
    return found + [b""] * (count - len(found))


def join_parts(*parts: bytes | str) -> bytes:
    """Parts as one input."""
    return PART.join(each.encode() if isinstance(each, str) else each for each in parts)
