"""The seal at the end of a line: its last key, made of all that stands before it.

A line without a seal is taken as it is: it was written before there were seals, or by a
hand that means what it wrote.
"""

from hashlib import sha256
from typing import Final

_BEFORE: Final = b',"seal":"'
_AFTER: Final = b'"}'
_LENGTH: Final = 32


def sealed(entry: bytes) -> bytes:
    """A JSON object in one line, with its seal."""
    if entry == b"{}":
        return entry
    return entry[:-1] + _BEFORE + _digest(entry) + _AFTER


def unsealed(line: bytes) -> bytes:
    """The object without its seal.

    Raises:
        ValueError: The seal says that something else was written.
    """
    start = len(line) - len(_AFTER) - _LENGTH
    told = line[start : start + _LENGTH]
    if not line.endswith(_AFTER) or not line[:start].endswith(_BEFORE):
        return line
    entry = line[: start - len(_BEFORE)] + b"}"
    if told != _digest(entry):
        raise ValueError("its seal is not that of its words")
    return entry


def _digest(entry: bytes) -> bytes:
    return sha256(entry).hexdigest()[:_LENGTH].encode()
