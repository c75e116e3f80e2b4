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

    def find_undo(self, steps: int) -> int | None:
        """The turn to return to when a person takes back so many deeds.

        What agents did since goes back too. With fewer deeds than steps, all of them are
        taken back; None where no person has done anything.
        """
        found, here = None, self.here
        for _ in range(steps):
            if here.back is None:
                break
            found, here = here.back, self._places[here.back + 1]
        return found

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


class SeatingHistory:
    """Who played whom at every point of a run, followed turn by turn."""

    def __init__(self) -> None:
        self._seatings = list[Seating | None]()

    def follow(self, turns: Iterable[Turn]) -> None:
        """Continue with the turns that come next in the run."""
        for turn in turns:
            before = self._seatings[-1] if self._seatings else None
            given = turn.aside if isinstance(turn.aside, Seating) else before
            self._seatings.append(given)

    @property
    def count(self) -> int:
        """How many turns were followed."""
        return len(self._seatings)

    def is_agents_turn(self, turn: Turn) -> bool:
        """Whether an agent had the seat of the turn's actor when the turn was played."""
        return plays(self._seatings[turn.number], turn.actor_id) != PERSON


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
