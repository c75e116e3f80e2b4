"""A turn between its verdicts and its keeping: whoever weighed it may yet let it go."""

from typing import NamedTuple

from saniwa.run.course import Point
from saniwa.turn.trace import Turn
from saniwa.world.model import World


class Weighed(NamedTuple):
    """A turn that was weighed and has not happened."""

    turn: Turn
    """The turn as it would be kept, without its id and its time."""
    here: Point
    """How the run stood when it was weighed."""
    after: World
    """The world it would leave."""
