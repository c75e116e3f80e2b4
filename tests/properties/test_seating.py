"""The order of seats, whatever was played."""

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.runs.run import Run
from saniwa.runs.seat_order import find_next_actor, order_seats
from saniwa.runs.timeline import MOST_FRUITLESS_TURNS, SeatPosition
from saniwa.scenario.loader import load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Seating
from saniwa.world.model import Id
from tests.fakes.nightly import scale_examples
from tests.fakes.runs import GARDEN, open_courtyard_run, resume_restarted

PEOPLE = ("ada", "ben", "cleo", "player")
CROWD: dict[str, Any] = GARDEN | {"characters": {who: {"location": "yard"} for who in PEOPLE}}
ORDERS = st.sampled_from(["order", "round_robin", "initiative"])
SEATS = st.dictionaries(
    st.sampled_from(PEOPLE), st.sampled_from(["person", "character"]), min_size=1
)
WORDS = st.sampled_from(["look", "open the gate", "take the old metal", "go east", ""])


@given(ORDERS, SEATS, st.integers(0, 2**32), st.integers(0, 1000))
def test_every_round_has_every_seat_once(
    order: Any, seats: dict[str, str], seed: int, number: int
) -> None:
    """Every seat has one turn per round, and computing a round again gives the same order."""
    world = load_scenario(CROWD).world
    seating = Seating(order=order, seats=seats)
    thrown = order_seats(seating, world, first=Id("player"), seed=seed, round=number)

    assert sorted(seats) == sorted(thrown)
    assert thrown == order_seats(seating, world, first=Id("player"), seed=seed, round=number)


def _find_next(run: Run) -> Id | None:
    assert run.seating is not None
    seed = run.record.seed
    return find_next_actor(
        run.seat_timeline.position, run.seating, run.world, first=run.actor, seed=seed
    )


@settings(deadline=None, max_examples=scale_examples(40))
@given(ORDERS, SEATS, st.lists(WORDS, max_size=12), st.integers(0, 99))
def test_the_table_continues_and_a_resumed_one_agrees(
    order: Any, seats: dict[str, str], lines: list[str], seed: int
) -> None:
    """A live and a resumed run name the same next seat, and no agent keeps the turn forever."""
    store = MemoryRunStore()
    run = open_courtyard_run(store, scenario=CROWD, seed=seed, actor="player")

    async def play_lines() -> None:
        await run.change_seating(Seating(order=order, seats=seats))
        in_a_row, last = 0, None
        for line in lines:
            who = _find_next(run)
            assert who in seats
            in_a_row = in_a_row + 1 if who == last else 1
            last = who
            if seats[who] != "person" and len(seats) > 1:
                # The last seat of a round may be the first of the next.
                assert in_a_row <= 2 * MOST_FRUITLESS_TURNS
            await run.say(line, who)

    asyncio.run(play_lines())
    again = resume_restarted(run, store)

    assert again.seat_timeline.position == run.seat_timeline.position
    assert _find_next(again) == _find_next(run)


@settings(deadline=None, max_examples=scale_examples(40))
@given(ORDERS, SEATS, st.lists(WORDS, min_size=1, max_size=8), st.data())
def test_going_back_finds_the_place_of_that_time(
    order: Any, seats: dict[str, str], lines: list[str], data: st.DataObject
) -> None:
    """After going back to a turn, the next seat is the one that was next at that time."""
    run = open_courtyard_run(scenario=CROWD, actor="player")
    seen = dict[int, SeatPosition]()

    async def play_lines() -> int:
        await run.change_seating(Seating(order=order, seats=seats))
        for line in lines:
            seen[run.count - 1] = run.seat_timeline.position
            await run.say(line, _find_next(run))
        to = data.draw(st.sampled_from(sorted(seen)))
        await run.go_back_to(to)
        return to

    to = asyncio.run(play_lines())

    assert seen[to] == run.seat_timeline.position
