import asyncio
from typing import Any

import pytest

from saniwa.core.errors import RunError
from saniwa.runs.seat_order import SeatPauses, check_seating, find_next_actor, order_seats
from saniwa.runs.timeline import SeatPosition, find_player
from saniwa.scenario.loader import load_scenario
from saniwa.turn.record import Seating
from saniwa.world.model import Id, World
from tests.fakes.runs import GARDEN, GO_EAST, OPEN_GATE, TAKE_KEY
from tests.fakes.seated_runs import BOTH, KEEPER, PLAYER, find_next, keeps, play_seated


def _make_world(**more: Any) -> World:
    return load_scenario(GARDEN | more).world


def test_the_player_begins_and_the_others_follow_in_the_order_of_the_cast() -> None:
    """Without a scenario's order, the player is first and the cast follows in order."""
    seats = Seating(seats=BOTH)

    assert (PLAYER, KEEPER) == order_seats(seats, _make_world(), first=PLAYER, seed=0, round=0)
    assert (KEEPER, PLAYER) == order_seats(seats, _make_world(), first=KEEPER, seed=0, round=0)


def test_initiative_is_thrown_again_in_each_round() -> None:
    """Initiative is drawn for each round, and is the same for the same seed."""
    seats = Seating(order="initiative", seats=BOTH)
    thrown = [
        order_seats(seats, _make_world(), first=PLAYER, seed=1, round=number)
        for number in range(20)
    ]
    again = [
        order_seats(seats, _make_world(), first=PLAYER, seed=1, round=number)
        for number in range(20)
    ]

    assert {(PLAYER, KEEPER), (KEEPER, PLAYER)} == set(thrown)
    assert thrown == again


@pytest.mark.parametrize(("added", "first"), [(100, KEEPER), (-100, PLAYER)])
def test_initiative_is_added_to_the_draw(added: int, first: Id) -> None:
    """A character's `attributes.initiative` is added to the draw."""
    people = {
        "player": {"location": "yard"},
        "keeper": {"location": "yard", "attributes": {"initiative": added}},
    }
    seats = Seating(order="initiative", seats=BOTH)
    firsts = {
        order_seats(seats, _make_world(characters=people), first=PLAYER, seed=s, round=0)[0]
        for s in range(10)
    }

    assert {first} == firsts


def test_initiative_that_is_not_a_number_counts_for_nothing() -> None:
    """An `initiative` attribute that is not a number is ignored."""
    people = {
        "player": {"location": "yard"},
        "keeper": {"location": "yard", "attributes": {"initiative": "high"}},
    }
    seats = Seating(order="initiative", seats=BOTH)

    assert order_seats(seats, _make_world(), first=PLAYER, seed=3, round=0) == order_seats(
        seats, _make_world(characters=people), first=PLAYER, seed=3, round=0
    )


def test_the_turn_goes_round_the_table() -> None:
    """The seats take turns."""
    seats = Seating(order="round_robin", seats=BOTH)

    assert PLAYER == find_next(play_seated(seats))
    assert KEEPER == find_next(play_seated(seats, TAKE_KEY))
    assert PLAYER == find_next(play_seated(seats, TAKE_KEY, keeps("look")))
    assert KEEPER == find_next(play_seated(seats, TAKE_KEY, keeps("look"), GO_EAST))


def test_in_order_a_refused_turn_may_be_repeated() -> None:
    """By default a refused turn may be repeated; with `round_robin` it may not."""
    in_order = Seating(seats=BOTH)
    robin = Seating(order="round_robin", seats=BOTH)

    assert PLAYER == find_next(play_seated(in_order, OPEN_GATE))
    assert KEEPER == find_next(play_seated(robin, OPEN_GATE))


def test_an_agent_that_tries_without_effect_is_passed_over() -> None:
    """An agent is skipped after two fruitless turns, a person never."""
    vain = keeps("open", targetId="gate")
    seats = Seating(seats=BOTH)

    assert KEEPER == find_next(play_seated(seats, TAKE_KEY, vain))
    assert PLAYER == find_next(play_seated(seats, TAKE_KEY, vain, vain))
    assert PLAYER == find_next(play_seated(seats, OPEN_GATE, OPEN_GATE, OPEN_GATE))


def test_a_question_is_answered_before_other_turns() -> None:
    """A question must be answered by the character that was asked, whatever the order."""
    seats = Seating(order="round_robin", seats=BOTH)

    assert PLAYER == find_next(play_seated(seats, "take the old metal"))


def test_the_scenarios_order_comes_before_any_seat() -> None:
    """The scenario's turn order decides whose turn it is."""
    world = _make_world(turn_order=["keeper", "player"])
    place = SeatPosition(acted=(KEEPER,))

    assert KEEPER == find_next_actor(place, Seating(seats=BOTH), world, first=PLAYER, seed=0)


def test_another_seating_than_the_scenarios_order_is_refused() -> None:
    """Another seating order than the scenario's is refused."""
    world = _make_world(turn_order=["keeper", "player"])
    check_seating(Seating(order="initiative", seats=BOTH), _make_world())
    check_seating(Seating(seats=BOTH), world)

    with pytest.raises(RunError) as problem:
        check_seating(Seating(order="initiative", seats=BOTH), world)

    assert "SEATING_UNFIT" == problem.value.code
    assert "'keeper', 'player'" in problem.value.message


def test_resting_seats_are_skipped() -> None:
    """Resting seats are skipped; if all rest, none is next."""
    seats = Seating(seats=BOTH)

    def find_next(*resting: Id) -> Id | None:
        return find_next_actor(
            SeatPosition(), seats, _make_world(), first=PLAYER, seed=0, resting=resting
        )

    assert (PLAYER, KEEPER, None) == (find_next(), find_next(PLAYER), find_next(PLAYER, KEEPER))


def test_a_character_without_a_seat_is_a_persons() -> None:
    """A character without a seat belongs to a person."""
    assert ("person", "person", "character") == (
        find_player(None, KEEPER),
        find_player(Seating(), KEEPER),
        find_player(Seating(seats=BOTH), KEEPER),
    )


def test_going_back_goes_back_round_the_table_too() -> None:
    """After an undo it is the turn of the seat that had it then."""
    seats = Seating(order="round_robin", seats=BOTH)

    assert PLAYER == find_next(play_seated(seats, TAKE_KEY, 0))
    assert KEEPER == find_next(play_seated(seats, TAKE_KEY, keeps("look"), 1))


def test_a_new_seating_begins_its_round() -> None:
    """Another order starts a new round; new players in the same order do not."""
    run = play_seated(Seating(order="round_robin", seats=BOTH), TAKE_KEY)
    taken = Seating(order="round_robin", seats={"player": "person", "keeper": "person"})

    asyncio.run(run.change_seating(taken))
    assert KEEPER == find_next(run)

    asyncio.run(run.change_seating(Seating(seats=BOTH)))
    assert PLAYER == find_next(run)


def test_the_agent_who_had_a_seat_is_known_from_the_turns() -> None:
    """The last agent of a seat is known from the turns, also while a person plays it."""
    run = play_seated(Seating(seats=BOTH))
    asyncio.run(run.change_seating(Seating(seats={"player": "person", "keeper": "person"})))

    assert "character" == run.seat_timeline.agents.get(KEEPER)
    assert run.seat_timeline.agents.get(PLAYER) is None


def test_taking_back_leads_before_the_last_deed_of_a_person() -> None:
    """Taking back goes to before the last action of a person, and a look is not an action."""
    run = play_seated(Seating(seats=BOTH), TAKE_KEY, keeps("move", targetId="shed"))

    assert 0 == run.seat_timeline.position.back


def test_a_load_can_be_taken_back_and_an_undo_goes_further_back() -> None:
    """A load can be taken back, and an undo goes further back."""
    run = play_seated(Seating(seats=BOTH), TAKE_KEY)

    async def on() -> None:
        await run.save("here")
        await run.act({"type": "drop", "actorId": "player", "targetId": "key"})
        await run.load("here")

    asyncio.run(on())
    assert 2 == run.seat_timeline.position.back

    asyncio.run(run.go_back_to(1, "undo"))
    assert 0 == run.seat_timeline.position.back


def test_a_seat_rests_for_a_while_or_until_it_changes_hands() -> None:
    """A seat rests for a number of rounds, or until it changes hands."""
    rests = SeatPauses()
    rests.add(PLAYER, 1)
    rests.add(KEEPER, 1, for_good=True)

    assert ({PLAYER, KEEPER}, {KEEPER}) == (rests.list_paused(1), rests.list_paused(2))

    rests.remove(KEEPER)
    assert ({PLAYER}, set()) == (rests.list_paused(1), rests.list_paused(2))
