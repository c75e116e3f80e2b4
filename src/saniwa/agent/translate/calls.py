"""How often a model may be asked for one turn."""

from typing import Final

CALLS_PER_TURN: Final = 2
"""Calls one turn may cost, whoever makes them: a character, a parser, a narrator."""


class Calls:
    """What is left of them; whoever asks a model takes one first."""

    def __init__(self, left: int = CALLS_PER_TURN) -> None:
        """So many; less than none is none."""
        self._left = max(0, left)

    @property
    def left(self) -> int:
        """How many may still be made."""
        return self._left

    def take(self) -> bool:
        """Take one for a call that is about to be made; False where none is left."""
        if not self._left:
            return False
        self._left -= 1
        return True
