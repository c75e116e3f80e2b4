"""The seats of a run: who plays whom, and who acts next.

Computed from the stored turns and nothing else: the same turns give the same order in
every process, also after a restart.
"""

from collections.abc import Iterable
from typing import Final

from saniwa.core.errors import RunError
from saniwa.core.random import derive_state, draw_between
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.runs import describe
from saniwa.runs.timeline import SeatPosition
from saniwa.turn.record import Seating
from saniwa.world.model import Id, World
from saniwa.world.queries import get_turn_actor

_DIE_SIDES: Final = 20


def check_seating(seating: Seating, world: World) -> None:
    """Check that a seating does not contradict the scenario's own turn order.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if seating.order == "order" or not world.turn_order:
        return
    listed = ", ".join(quote_value(who) for who in world.turn_order)
    order, authored = seating.order, list(world.turn_order)
    said = describe("SEATING_UNFIT/order", listed=listed, order=order, turn_order=authored)
    raise said.to_error(RunError)


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


def find_player_character(world: World, named: str | None) -> str:
    """The character to play: the one named, else the scenario's protagonist.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    cast = [who.id for who in world.list_characters()]
    who = world.protagonist if named is None else named
    if who not in cast:
        near, names = suggest_nearest(who or "", cast), ", ".join(cast)
        said = describe("ACTOR_UNKNOWN", hint=near, actor=who, cast=cast, names=names)
        raise said.to_error(RunError)
    return who
