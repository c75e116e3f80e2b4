"""One input spoilt, in one or several ways."""

from collections.abc import Sequence
from contextlib import suppress
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.fuzz.mutation.branches import document_in, spoilt_document, written
from tests.fuzz.mutation.octets import LARGEST, spoilt_bytes
from tests.fuzz.reader import PART


def spoilt(
    content: bytes, chance: Random, others: Sequence[bytes], words: Sequence[bytes] = ()
) -> bytes:
    """The input, changed in one to four ways; the same chance, the same change."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        if chance.random() < 0.55:
            # What is too deep to be walked through is spoilt byte by byte another time.
            with suppress(RecursionError):
                content = _document(content, chance, others) or content
        else:
            content = spoilt_bytes(content, chance, others, words)
    return content[:LARGEST]


def _document(content: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """The input with one document in it changed; empty where it holds none.

    A document is a whole part of it, or a line.
    """
    parts = content.split(PART)
    at = chance.randrange(len(parts))
    lines = [parts[at]]
    document = document_in(_text(parts[at]))
    number = 0
    if document is None:
        lines = parts[at].split(b"\n")
        number = chance.randrange(len(lines))
        if lines[number][:1] not in (b"{", b"["):
            return b""
        document = document_in(_text(lines[number]))
    if document is None:
        return b""
    foreign = document_in(_text(chance.choice(others).split(PART)[0])) if others else None
    made = spoilt_document(document, chance, [document, foreign])
    lines[number] = written(made, chance).encode("utf-8", "surrogatepass")
    parts[at] = b"\n".join(lines)
    return PART.join(parts)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
