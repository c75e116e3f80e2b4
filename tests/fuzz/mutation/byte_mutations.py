"""Mutations of bytes, whatever the bytes mean."""

from collections.abc import Callable, Sequence
from random import Random  # noqa: TID251 - seeded by the caller
from unicodedata import normalize

from tests.fuzz.mutation.word_lists import WORDS

LARGEST = 60_000
"""How large an input may become, in bytes."""
_MANY = (3, 20, 200, 3_000)


def _cut_span(content: bytes, chance: Random) -> bytes:
    begin, end = _choose_span(content, chance)
    return content[:begin] + content[end:]


def _cut_short(content: bytes, chance: Random) -> bytes:
    return content[: chance.randint(0, len(content))]


def _flip_bit(content: bytes, chance: Random) -> bytes:
    if not content:
        return bytes([chance.randrange(256)])
    at = chance.randrange(len(content))
    bit = 1 << chance.randrange(8)
    return content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def _repeat_span(content: bytes, chance: Random) -> bytes:
    begin, end = _choose_span(content, chance)
    times = chance.choice(_MANY)
    return content[:begin] + content[begin:end] * times + content[end:]


def _insert_nesting(content: bytes, chance: Random) -> bytes:
    at = chance.randint(0, len(content))
    mark, close = chance.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"{", b"}"), (b"- ", b""))
    )
    times = chance.choice(_MANY)
    middle = chance.choice((b"", b"1"))
    return content[:at] + mark * times + middle + close * times + content[at:]


def _move_line(content: bytes, chance: Random) -> bytes:
    lines = content.split(b"\n")
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _repeat_line(content: bytes, chance: Random) -> bytes:
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    return b"\n".join((*lines[: at + 1], *lines[at:]))


def _change_line_ends(content: bytes, chance: Random) -> bytes:
    new = chance.choice((b"\r\n", b"\r", b"\xe2\x80\xa8", b"\n\n", b" \n", b""))
    return content.replace(b"\n", new, chance.choice((1, -1)))


def _change_normal_form(content: bytes, chance: Random) -> bytes:
    form = chance.choice(("NFC", "NFD", "NFKC", "NFKD"))
    text = content.decode("utf-8", "replace")
    return normalize(form, text).encode()  # type: ignore[arg-type]


def _change_digit(content: bytes, chance: Random) -> bytes:
    digits = [i for i, byte in enumerate(content) if 48 <= byte < 58]
    if not digits:
        return content
    at = chance.choice(digits)
    new = chance.choice((b"-1", b"0", b"1e400", b"9" * 30, b"0.5", b"007", b"1e9"))
    return content[:at] + new + content[at + 1 :]


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(
        _cut_span,
        _cut_short,
        _flip_bit,
        _flip_bit,
        _repeat_span,
        _insert_nesting,
        _move_line,
        _repeat_line,
    ),
    *(_change_line_ends, _change_normal_form, _change_digit, _change_digit),
)


def spoil_bytes(
    content: bytes, chance: Random, others: Sequence[bytes], words: Sequence[bytes]
) -> bytes:
    """Change the bytes in one way; pieces of `others` and `words` may be put in."""
    way = chance.randrange(len(_WAYS) + 8)
    if way < len(_WAYS):
        made = _WAYS[way](content, chance)
    elif way == len(_WAYS) and others:
        begin, end = _choose_span(content, chance)
        other = chance.choice(others)
        piece = slice(*_choose_span(other, chance))
        made = content[:begin] + other[piece] + content[end:]
    else:
        begin, end = _choose_span(content, chance)
        end = chance.choice((begin, begin, end))
        word = chance.choice(words if words and chance.random() < 0.6 else WORDS)
        made = content[:begin] + word + content[end:]
    return made[:LARGEST]


def _choose_span(content: bytes, chance: Random) -> tuple[int, int]:
    """A random span of the content, short ones more often than long ones."""
    begin = chance.randint(0, len(content))
    longest = chance.choice((1, 4, 16, 64, len(content) or 1))
    return begin, min(begin + chance.randint(0, longest), len(content))
