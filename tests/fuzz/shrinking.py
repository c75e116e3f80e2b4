"""Finds a smaller input that still does what a larger one did."""

from collections.abc import Callable

TRIES = 300
"""How many smaller inputs are tried."""


def shrink_bytes(content: bytes, still: Callable[[bytes], bool], tries: int = TRIES) -> bytes:
    """Remove halves, quarters and so on, as long as `still` is true without them."""
    piece = max(len(content) // 2, 1)
    while tries > 0:
        begin = 0
        while begin < len(content) and tries > 0:
            less = content[:begin] + content[begin + piece :]
            tries -= 1
            if still(less):
                content = less
            else:
                begin += piece
        if piece == 1:
            break
        piece = max(piece // 2, 1)
    return content
