"""Mutates one input, in one or several ways."""

from collections.abc import Sequence
from contextlib import suppress
from random import Random  # noqa: TID251 - seeded by the caller

from tests.fuzz.fuzz_reader import PART
from tests.fuzz.mutation.byte_mutations import LARGEST, spoil_bytes
from tests.fuzz.mutation.document_mutations import find_document, spoil_document, write_document


def spoil_input(
    content: bytes, chance: Random, others: Sequence[bytes], words: Sequence[bytes] = ()
) -> bytes:
    """Change the input in one to four ways; the same seed makes the same change."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        if chance.random() < 0.55:
            # A document that is nested too deeply is mutated as bytes another time.
            with suppress(RecursionError):
                content = _spoil_document_in(content, chance, others) or content
        else:
            content = spoil_bytes(content, chance, others, words)
    return content[:LARGEST]


def _spoil_document_in(content: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """Change one document in the input; returns empty bytes if it holds none.

    A document is a whole part of the input, or a line.
    """
    parts = content.split(PART)
    at = chance.randrange(len(parts))
    lines = [parts[at]]
    document = find_document(_decode_text(parts[at]))
    number = 0
    if document is None:
        lines = parts[at].split(b"\n")
        number = chance.randrange(len(lines))
        if lines[number][:1] not in (b"{", b"["):
            return b""
        document = find_document(_decode_text(lines[number]))
    if document is None:
        return b""
    foreign = find_document(_decode_text(chance.choice(others).split(PART)[0])) if others else None
    made = spoil_document(document, chance, [document, foreign])
    lines[number] = write_document(made, chance).encode("utf-8", "surrogatepass")
    parts[at] = b"\n".join(lines)
    return PART.join(parts)


def _decode_text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
