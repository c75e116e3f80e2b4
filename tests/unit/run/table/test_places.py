import asyncio

from saniwa.run.table.places import Places, Rests, agent_of
from saniwa.turn.trace import Seating
from tests.fakes.runs import TAKE_KEY
from tests.fakes.seats import BOTH, KEEPER, PLAYER, keeps, next_in, played


def test_going_back_goes_back_round_the_table_too() -> None:
    """After an undo it is the turn of who had it then."""
    seats = Seating(order="round_robin", seats=BOTH)

    assert PLAYER == next_in(played(seats, TAKE_KEY, 0))
    assert KEEPER == next_in(played(seats, TAKE_KEY, keeps("look"), 1))


def test_a_new_seating_begins_its_round() -> None:
    """Another order begins anew; the same order with other players goes on."""
    run = played(Seating(order="round_robin", seats=BOTH), TAKE_KEY)
    taken = Seating(order="round_robin", seats={"player": "person", "keeper": "person"})

    asyncio.run(run.seat(taken))
    assert KEEPER == next_in(run)

    asyncio.run(run.seat(Seating(seats=BOTH)))
    assert PLAYER == next_in(run)


def test_the_agent_who_had_a_seat_is_known_from_the_turns() -> None:
    """A person's taking over hides nobody; a seat no agent had has none."""
    run = played(Seating(seats=BOTH))
    asyncio.run(run.seat(Seating(seats={"player": "person", "keeper": "person"})))

    assert "character" == agent_of(run.turns(), KEEPER)
    assert agent_of(run.turns(), PLAYER) is None


def test_taking_back_leads_before_the_last_deed_of_a_person() -> None:
    """What agents did since is taken back with it; looking around is no deed."""
    run = played(Seating(seats=BOTH), TAKE_KEY, keeps("move", targetId="shed"))
    places = Places()
    places.follow(run.turns())

    assert 0 == places.here.back


def test_a_load_can_be_taken_back_and_an_undo_goes_further_back() -> None:
    """As in the run itself."""
    run = played(Seating(seats=BOTH), TAKE_KEY)
    places = Places()

    async def on() -> None:
        await run.save("here")
        await run.act({"type": "drop", "actorId": "player", "targetId": "key"})
        await run.load("here")

    asyncio.run(on())
    places.follow(run.turns())
    assert 2 == places.here.back

    asyncio.run(run.back_to(1, "undo"))
    places.follow(run.turns(places.count))
    assert 0 == places.here.back


def test_a_seat_rests_for_a_while_or_until_it_changes_hands() -> None:
    """When its time is over it rests no more, unless it rests for good."""
    rests = Rests()
    rests.add(PLAYER, 1)
    rests.add(KEEPER, 1, for_good=True)

    assert ({PLAYER, KEEPER}, {KEEPER}) == (rests.at(1), rests.at(2))

    rests.end(KEEPER)
    assert ({PLAYER}, set()) == (rests.at(1), rests.at(2))
