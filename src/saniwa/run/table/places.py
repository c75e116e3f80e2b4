"""How far round the table a run has come, and who sits a while out."""

from collections.abc import Iterable

import msgspec

from saniwa.run.table.seating import PERSON, Place, moved_on, plays
from saniwa.turn.trace import Return, Seating, Turn
from saniwa.world.model import Id


class Places:
    """The place of every point of a run, followed turn by turn."""

    def __init__(self) -> None:
        self._places = [Place()]
        self._seating: Seating | None = None

    @property
    def here(self) -> Place:
        """Where the table stands now."""
        return self._places[-1]

    @property
    def count(self) -> int:
        """How many turns were followed."""
        return len(self._places) - 1

    def follow(self, turns: Iterable[Turn]) -> None:
        """Go on by the turns that come next in the run."""
        for turn in turns:
            self._places.append(self._after(turn))

    def _after(self, turn: Turn) -> Place:
        match turn.aside:
            case None:
                return moved_on(self.here, turn, self._seating)
            case Return(to=to, why="undo"):
                return self._places[to + 1]
            case Return(to=to):
                there = self._places[to + 1]
                return msgspec.structs.replace(there, back=turn.number - 1)
            case Seating() as seating:
                anew = self._seating is None or self._seating.order != seating.order
                self._seating = seating
                if not anew:
                    return self.here
                return msgspec.structs.replace(self.here, acted=(), fruitless=0)
            case _:
                return self.here


class Rests:
    """Seats that are passed over: for a while, or until they change hands."""

    def __init__(self) -> None:
        self._since = dict[Id, int]()
        self.for_good = set[Id]()
        """Those that rest until they change hands."""

    def add(self, who: Id, now: int, *, for_good: bool = False) -> None:
        """Let a seat rest as long as it is now."""
        self._since[who] = now
        if for_good:
            self.for_good.add(who)

    def end(self, who: Id) -> None:
        """A seat rests no more."""
        self._since.pop(who, None)
        self.for_good.discard(who)

    def at(self, now: int) -> set[Id]:
        """Everybody who rests."""
        return self.for_good | {w for w, when in self._since.items() if when == now}


def agent_of(turns: Iterable[Turn], who: Id) -> str | None:
    """The agent who last had a seat, whoever has it now; None where none ever had."""
    found = None
    for turn in turns:
        if isinstance(turn.aside, Seating):
            named = plays(turn.aside, who)
            found = found if named == PERSON else named
    return found
