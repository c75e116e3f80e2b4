"""The seats of a run: who plays whom, and who acts next.

Worked out from the kept turns and nothing else: the same turns give the same order at
every table, also after a restart.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from saniwa.core.errors import RunError
from saniwa.core.random import derive_state, draw_between
from saniwa.core.text import quote_value
from saniwa.turn.record import RunReturn, Seating, Turn
from saniwa.world.model import Id, World
from saniwa.world.view import get_turn_actor

PERSON: Final = "person"
"""Who plays a seat that no agent has."""
MOST_FRUITLESS_TURNS: Final = 2
"""Fruitless turns in a row after which an agent's seat is passed over."""
_DIE_SIDES: Final = 20


class SeatPosition(msgspec.Struct, frozen=True, kw_only=True):
    """How far round the table a run has come."""

    round: int = 0
    """The number of the round; from 0."""
    acted: tuple[Id, ...] = ()
    """Who has had their turn in it."""
    last: Id | None = None
    """Who spoke last."""
    fruitless: int = 0
    """How many turns of theirs in a row came to nothing."""
    back: int | None = None
    """The turn before the last deed of a person: where taking it back leads, with all
    that others did since; None where no person has done anything."""


def check_seating(seating: Seating, world: World) -> None:
    """See that a seating does not go against the scenario's own order.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if seating.order == "order" or not world.turn_order:
        return
    told = ", ".join(quote_value(who) for who in world.turn_order)
    raise RunError(
        "SEATING_UNFIT",
        f"the scenario has an order of its own, {told}, and the seating "
        f"{seating.order!r} would go against it",
        hint="take the seating 'order'",
        details={"order": seating.order, "turn_order": list(world.turn_order)},
    )


def find_player(seating: Seating | None, who: Id) -> str:
    """Who plays a character: an agent's name, or `person` where no agent does."""
    return PERSON if seating is None else seating.seats.get(who, PERSON)


def advance_position(
    place: SeatPosition, turn: Turn, seating: Seating | None
) -> SeatPosition:
    """Where the table stands after a turn that is no aside."""
    who, seats = turn.actor_id, () if seating is None else seating.seats
    came_to_nothing = not turn.applied_actions
    again = place.fruitless if place.last == who else 0
    fruitless = again + 1 if came_to_nothing else 0
    moved = msgspec.structs.replace(
        place,
        last=who,
        fruitless=fruitless,
        back=_find_undo_target(place, turn, seating),
    )
    if who not in seats or (came_to_nothing and _keeps_turn(turn, seating, fruitless)):
        return moved
    over = who in place.acted or set(seats) <= set(place.acted)
    return msgspec.structs.replace(
        moved,
        round=place.round + over,
        acted=(who,) if over else (*place.acted, who),
    )


def _find_undo_target(
    place: SeatPosition, turn: Turn, seating: Seating | None
) -> int | None:
    theirs = find_player(seating, turn.actor_id) == PERSON
    changed = turn.world_before != turn.world_after
    return turn.number - 1 if theirs and changed else place.back


def _keeps_turn(turn: Turn, seating: Seating | None, fruitless: int) -> bool:
    """Whether a turn that came to nothing leaves the floor with who spoke."""
    if (
        find_player(seating, turn.actor_id) != PERSON
        and fruitless >= MOST_FRUITLESS_TURNS
    ):
        return False
    # Who was asked must be able to answer, whatever the order.
    asked = turn.clarification is not None
    return asked or (seating is not None and seating.order == "order")


def order_seats(
    seating: Seating, world: World, *, first: Id, seed: int, round: int
) -> tuple[Id, ...]:
    """The seats in the order in which they come in a round.

    `first` begins, and the others follow in the order of the cast; by initiative each
    throws a die of twenty and adds their `initiative`, the highest first.
    """
    seats = [who for who in world.cast if who in seating.seats]
    if seating.order == "initiative":
        thrown = {who: _roll_initiative(world, who, seed, round) for who in seats}
        return tuple(sorted(seats, key=lambda who: (-thrown[who], who)))
    return tuple(sorted(seats, key=lambda who: (who != first, who)))


def _roll_initiative(world: World, who: Id, seed: int, round: int) -> float:
    _, thrown = draw_between(
        derive_state(seed, f"initiative {round} {who}"), 1, _DIE_SIDES
    )
    added = world.entities[who].attributes.get("initiative", 0)
    counts = isinstance(added, int | float) and not isinstance(added, bool)
    return thrown + (added if counts else 0)


def find_next_actor(
    place: SeatPosition,
    seating: Seating,
    world: World,
    *,
    first: Id,
    seed: int,
    resting: Iterable[Id] = (),
) -> Id | None:
    """Who is to act now; None where everybody rests.

    Where the scenario has an order, it says so and nobody can be passed over.
    """
    ordered = get_turn_actor(world)
    if ordered is not None:
        return ordered
    out = frozenset(resting)
    for number, acted in ((place.round, place.acted), (place.round + 1, ())):
        turn_of = order_seats(seating, world, first=first, seed=seed, round=number)
        for who in turn_of:
            if who not in acted and who not in out:
                return who
    return None


class SeatTimeline:
    """The place and the seating at every point of a run, followed turn by turn."""

    def __init__(self) -> None:
        self._places = [SeatPosition()]
        self._seatings = list[Seating | None]([None])
        self.agents = dict[Id, str]()
        """For each seat that an agent has had, the latest of them."""

    @property
    def position(self) -> SeatPosition:
        """Where the table stands now."""
        return self._places[-1]

    @property
    def seating(self) -> Seating | None:
        """Who plays whom now; None where no turn has said so."""
        return self._seatings[-1]

    def is_agent_turn(self, turn: Turn) -> bool:
        """Whether an agent had the seat of the turn's actor when the turn was played."""
        return find_player(self._seatings[turn.number + 1], turn.actor_id) != PERSON

    def find_undo_target(self, steps: int) -> int | None:
        """The turn to return to when a person takes back so many deeds.

        What agents did since goes back too. With fewer deeds than steps, all of them are
        taken back; None where no person has done anything.
        """
        found, here = None, self.position
        for _ in range(steps):
            if here.back is None:
                break
            found, here = here.back, self._places[here.back + 1]
        return found

    def follow(self, turn: Turn) -> None:
        """Go on by the run's next turn."""
        self._places.append(self._make_position(turn))
        if not isinstance(turn.aside, Seating):
            self._seatings.append(self.seating)
            return
        self._seatings.append(turn.aside)
        played = turn.aside.seats.items()
        self.agents.update((Id(who), name) for who, name in played if name != PERSON)

    def _make_position(self, turn: Turn) -> SeatPosition:
        match turn.aside:
            case None:
                return advance_position(self.position, turn, self.seating)
            case RunReturn(to=to, why="undo"):
                return self._places[to + 1]
            case RunReturn(to=to):
                there = self._places[to + 1]
                return msgspec.structs.replace(there, back=turn.number - 1)
            case Seating() as seating:
                before = self.seating
                if before is not None and before.order == seating.order:
                    return self.position
                return msgspec.structs.replace(self.position, acted=(), fruitless=0)
            case _:
                return self.position


class SeatPauses:
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

    def remove(self, who: Id) -> None:
        """A seat rests no more."""
        self._since.pop(who, None)
        self.for_good.discard(who)

    def list_paused(self, now: int) -> set[Id]:
        """Everybody who rests."""
        return self.for_good | {w for w, when in self._since.items() if when == now}
