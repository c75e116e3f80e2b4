"""The seats of a run: who plays whom, and who acts next.

Computed from the stored turns and nothing else: the same turns give the same order in
every process, also after a restart.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from saniwa.core.errors import RunError
from saniwa.core.random import derive_state, draw_between
from saniwa.core.text import quote_value
from saniwa.turn.record import RunReturn, Seating, Turn
from saniwa.world.actions import takes_time
from saniwa.world.model import Id, World
from saniwa.world.view import get_turn_actor

PERSON: Final = "person"
"""The player of a seat that no agent has."""
MOST_FRUITLESS_TURNS: Final = 2
"""Turns without effect in a row after which an agent's seat is passed over."""
_DIE_SIDES: Final = 20


class SeatPosition(msgspec.Struct, frozen=True, kw_only=True):
    """How far the current round of seats has come."""

    round: int = 0
    """The number of the round; from 0."""
    acted: tuple[Id, ...] = ()
    """The characters who have had their turn in it."""
    last: Id | None = None
    """The character who acted last."""
    fruitless: int = 0
    """How many turns of that character in a row had no effect."""
    back: int | None = None
    """The turn before the last deed of a person, to which undo returns, taking back all
    that others did since; None if no person has done anything."""


def check_seating(seating: Seating, world: World) -> None:
    """Check that a seating does not contradict the scenario's own turn order.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if seating.order == "order" or not world.turn_order:
        return
    listed = ", ".join(quote_value(who) for who in world.turn_order)
    raise RunError(
        "SEATING_UNFIT",
        f"the scenario has an order of its own, {listed}, and the seating "
        f"{seating.order!r} would go against it",
        hint="take the seating 'order'",
        details={"order": seating.order, "turn_order": list(world.turn_order)},
    )


def find_player(seating: Seating | None, who: Id) -> str:
    """Who plays a character: an agent's name, or `person` if no agent does."""
    return PERSON if seating is None else seating.seats.get(who, PERSON)


def advance_position(place: SeatPosition, turn: Turn, seating: Seating | None) -> SeatPosition:
    """The position after a turn that is no aside."""
    who, seats = turn.actor_id, () if seating is None else seating.seats
    came_to_nothing = not takes_time(turn.applied_actions)
    again = place.fruitless if place.last == who else 0
    fruitless = again + 1 if came_to_nothing else 0
    moved = msgspec.structs.replace(
        place, last=who, fruitless=fruitless, back=_find_undo_target(place, turn, seating)
    )
    if who not in seats or (came_to_nothing and _keeps_turn(turn, seating, fruitless)):
        return moved
    over = who in place.acted or set(seats) <= set(place.acted)
    return msgspec.structs.replace(
        moved, round=place.round + over, acted=(who,) if over else (*place.acted, who)
    )


def _find_undo_target(place: SeatPosition, turn: Turn, seating: Seating | None) -> int | None:
    theirs = find_player(seating, turn.actor_id) == PERSON
    changed = turn.world_before != turn.world_after
    return turn.number - 1 if theirs and changed else place.back


def _keeps_turn(turn: Turn, seating: Seating | None, fruitless: int) -> bool:
    """Whether the character who acted without effect may act again."""
    if find_player(seating, turn.actor_id) != PERSON and fruitless >= MOST_FRUITLESS_TURNS:
        return False
    # The character who was asked must be able to answer, whatever the order.
    asked = turn.clarification is not None
    return asked or (seating is not None and seating.order == "order")


def order_seats(
    seating: Seating, world: World, *, first: Id, seed: int, round: int
) -> tuple[Id, ...]:
    """The seats in the order in which they act in a round.

    `first` begins, and the others follow by id. With the order `initiative`, each rolls
    a 20-sided die and adds their `initiative`; the highest acts first.
    """
    seats = [who for who in world.cast if who in seating.seats]
    if seating.order == "initiative":
        thrown = {who: _roll_initiative(world, who, seed, round) for who in seats}
        return tuple(sorted(seats, key=lambda who: (-thrown[who], who)))
    return tuple(sorted(seats, key=lambda who: (who != first, who)))


def _roll_initiative(world: World, who: Id, seed: int, round: int) -> float:
    _, thrown = draw_between(derive_state(seed, f"initiative {round} {who}"), 1, _DIE_SIDES)
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
    """The character who acts now; None if all are resting.

    If the scenario has a turn order, it decides, and resting characters are not passed
    over.
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
    """The seat position and the seating after every turn of a run."""

    def __init__(self) -> None:
        self._places = [SeatPosition()]
        self._seatings = list[Seating | None]([None])
        self.agents = dict[Id, str]()
        """The latest agent of each seat that ever had one."""

    @property
    def position(self) -> SeatPosition:
        """The current position."""
        return self._places[-1]

    @property
    def seating(self) -> Seating | None:
        """The current seating; None if no turn has set one."""
        return self._seatings[-1]

    def is_agent_turn(self, turn: Turn) -> bool:
        """Whether an agent had the actor's seat when the turn was played."""
        return find_player(self._seatings[turn.number + 1], turn.actor_id) != PERSON

    def find_undo_target(self, steps: int) -> int | None:
        """The turn to return to when a person takes back that many deeds.

        What agents did since goes back too. With fewer deeds than steps, all of them
        are taken back; None if no person has done anything.
        """
        found, here = None, self.position
        for _ in range(steps):
            if here.back is None:
                break
            found, here = here.back, self._places[here.back + 1]
        return found

    def follow(self, turn: Turn) -> None:
        """Add the run's next turn."""
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
    """Seats that are passed over: for one round, or until another player takes them."""

    def __init__(self) -> None:
        self._since = dict[Id, int]()
        self.for_good = set[Id]()
        """The seats that are passed over until another player takes them."""

    def add(self, who: Id, now: int, *, for_good: bool = False) -> None:
        """Pass over a seat while the round is `now`, or for good."""
        self._since[who] = now
        if for_good:
            self.for_good.add(who)

    def remove(self, who: Id) -> None:
        """Stop passing over a seat."""
        self._since.pop(who, None)
        self.for_good.discard(who)

    def list_paused(self, now: int) -> set[Id]:
        """Every seat that is passed over in round `now`."""
        return self.for_good | {w for w, when in self._since.items() if when == now}
