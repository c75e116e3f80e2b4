"""Damages a file as a failing disk, a bad copy or a careless user would."""

from random import Random  # noqa: TID251 - the caller brings it, with its seed

_PAGE = 512


def tear_bytes(content: bytes, chance: Random) -> tuple[str, bytes]:
    """The kind of damage and the damaged bytes, which always differ from the original."""
    way = chance.choice(sorted(_WAYS))
    left = _WAYS[way](content, chance)
    return (way, left) if left != content else ("emptied", b"")


def _cut_short(content: bytes, chance: Random) -> bytes:
    return content[: chance.randrange(len(content))]


def _flip_bit(content: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(content))
    bit = content[at] ^ 1 << chance.randrange(8)
    return content[:at] + bytes([bit]) + content[at + 1 :]


def _blank_sector(content: bytes, chance: Random) -> bytes:
    """A sector that was never written: only NULs."""
    at = chance.randrange(len(content)) // _PAGE * _PAGE
    return content[:at] + bytes(len(content[at : at + _PAGE])) + content[at + _PAGE :]


def _repeat_end(content: bytes, chance: Random) -> bytes:
    """The end of it repeated, as a write that was tried twice leaves it."""
    return content + content[chance.randrange(len(content)) :]


_WAYS = {
    "cut short": _cut_short,
    "a bit flipped": _flip_bit,
    "a sector blanked": _blank_sector,
    "its end doubled": _repeat_end,
    "emptied": lambda *_: b"",
}
