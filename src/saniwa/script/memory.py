"""What a story remembers while it is played: everything but where it stands.

Frozen, so that keeping a moment for rollback costs nothing; replaced piece by piece.
"""

from typing import NamedTuple

from immutables import Map

from saniwa.script.expression import Value


class Memory(NamedTuple):
    """One moment's memory."""

    variables: Map[str, Value]
    """The author's variables."""
    visits: Map[str, int]
    """How often each label was passed, by key."""
    chosen: Map[str, int]
    """How often each option was chosen, by id."""
    varied: Map[str, int]
    """How often each variation was shown, by line id and number."""
    calls: tuple[int, ...]
    """Addresses to return to, innermost last."""
    chance: int
    """The state of the generator."""
    told: tuple[tuple[str, str], ...]
    """What the world has to tell first: speakers and words."""
    choices: int
    """How many choices were made."""
