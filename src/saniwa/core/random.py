"""Random numbers by mulberry32: 32 bits of state, the same in every language.

Pure functions: each takes a state and returns the next state with its result, so a
saved story continues with exactly the numbers it would have drawn.
"""

from typing import Final
from zlib import crc32

_MASK: Final = 0xFFFF_FFFF
_STRIDE: Final = 0x6D2B_79F5
_RANGE: Final = 1 << 32


def draw_number(state: int) -> tuple[int, int]:
    """Return the next state and a number from 0 to 2³²-1."""
    state = (state + _STRIDE) & _MASK
    mixed = ((state ^ (state >> 15)) * (state | 1)) & _MASK
    mixed ^= (mixed + (((mixed ^ (mixed >> 7)) * (mixed | 61)) & _MASK)) & _MASK
    return state, mixed ^ (mixed >> 14)


def draw_between(state: int, low: int, high: int) -> tuple[int, int]:
    """Return the next state and an integer from `low` to `high`, both included.

    One draw `d`, scaled: `low + floor(d * count / 2³²)` with `count = high - low + 1`,
    in integers. For up to 2³² numbers, none is likelier than another by more than
    `count / 2³²`. A wider range takes two draws over 2⁶⁴, the upper half first.

    Raises:
        ValueError: `high` is less than `low`.
    """
    count = high - low + 1
    if count < 1:
        raise ValueError(f"there is no number between {low} and {high}")
    state, drawn = draw_number(state)
    if count <= _RANGE:
        return state, low + (drawn * count >> 32)
    state, lower = draw_number(state)
    return state, low + ((drawn << 32 | lower) * count >> 64)


def draw_permutation(seed: int, count: int) -> tuple[int, ...]:
    """Return the numbers from 0 to `count - 1` in random order.

    Each place from the last to the second is swapped with one drawn from those up to
    itself.
    """
    state, order = seed & _MASK, list(range(count))
    for last in range(count - 1, 0, -1):
        state, other = draw_between(state, 0, last)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def derive_state(seed: int, key: str) -> int:
    """Return a separate state for `key`: the seed mixed with its CRC-32 (UTF-8)."""
    keyed = crc32(key.encode("utf-8", "surrogatepass"))
    return draw_number((seed ^ keyed) & _MASK)[1]
