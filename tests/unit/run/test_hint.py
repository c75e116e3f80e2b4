import asyncio

import msgspec
import pytest
from msgspec.structs import replace

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.load import book_from_layers, layers_of
from saniwa.run.conductor import Run
from saniwa.run.hint import Hint, hint
from saniwa.world.action import Action, Open, Search, Take, type_of
from saniwa.world.canonical import build
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN, GO_NORTH, OPEN_GATE, TAKE_KEY, garden_run
from tests.fakes.worlds import PLAYER, garden


def _followed(run: Run) -> list[Action]:
    """Everything the hints said, done one after the other until there is no more."""

    async def follow() -> list[Action]:
        done: list[Action] = []
        while (action := run.hint().action) is not None:
            done.append(action)
            await run.act(msgspec.to_builtins(action))
        return done

    return asyncio.run(follow())


def test_following_hints_leads_to_the_goal() -> None:
    """Whoever does what the hint says, step by step, reaches the end."""
    run = garden_run()

    assert ["take", "open", "move"] == [type_of(action) for action in _followed(run)]
    assert run.finished


def test_a_hint_counts_the_steps_and_lists_what_is_possible() -> None:
    """A hint says how far it is, and everything that may be done now."""
    book = book_from_layers(layers_of("default"))
    found = hint(garden(), PLAYER, book)

    assert Take(actor_id=PLAYER, target_id=Id("key"), source_id=None) == found.action
    assert 3 == found.steps
    assert found.action in found.possible


def test_a_hint_knows_the_strict_book() -> None:
    """Where a locked gate must be unlocked first, the way is longer."""
    book = book_from_layers(layers_of("strict"))

    assert 4 == hint(garden(), PLAYER, book).steps


def test_the_same_situation_gives_the_same_hint() -> None:
    """Nothing is drawn by chance and nothing depends on time."""
    book = book_from_layers(layers_of("default"))

    assert hint(garden(), PLAYER, book) == hint(garden(), PLAYER, book)


def test_without_a_goal_only_the_possible_is_listed() -> None:
    """A world that wants nothing gets no direction."""
    book = book_from_layers(layers_of("default"))
    aimless = replace(garden(), goal=None)

    assert Hint(possible=admissible(aimless, PLAYER, book)) == hint(
        aimless, PLAYER, book
    )


def test_at_the_goal_there_is_nothing_to_hint_at() -> None:
    """Who has arrived needs no direction."""
    run = garden_run()
    for action in (TAKE_KEY, OPEN_GATE, GO_NORTH):
        asyncio.run(run.act(action))

    assert Hint(possible=run.admissible()) == run.hint()


def test_looking_ahead_is_bounded() -> None:
    """With too little to look at, no way is found, and none is made up."""
    book = book_from_layers(layers_of("default"))

    assert hint(garden(), PLAYER, book, situations=2, trials=2).action is None


@pytest.mark.parametrize("name", ["default", "strict"])
def test_where_the_shortest_way_is_not_seen_some_way_has_no_detours(name: str) -> None:
    """In a world too large for a full look, the hint still leads straight on."""
    book = book_from_layers(layers_of(name))
    seen = hint(garden(), PLAYER, book)

    assert seen == hint(garden(), PLAYER, book, situations=1)


def test_whose_turn_it_is_does_not_hide_the_way() -> None:
    """In a world with a turn order, the way is looked for as if one were alone."""
    book = book_from_layers(layers_of("default"))
    ordered = replace(garden(), turn_order=(PLAYER, Id("keeper")))

    assert 3 == hint(ordered, PLAYER, book).steps


def test_who_is_nowhere_gets_no_direction() -> None:
    """Somebody off stage can go nowhere, and nothing breaks."""
    book = book_from_layers(layers_of("default"))
    entities = list(garden().entities.values())
    gone = [
        msgspec.structs.replace(e, place=None) if e.id == PLAYER else e
        for e in entities
    ]
    world = build(gone, list(garden().locations.values()), goal=garden().goal)

    assert hint(world, PLAYER, book).action is None


def test_a_key_in_a_closed_and_hidden_place_is_found() -> None:
    """Containers are opened and places searched on the way."""
    scenario = GARDEN | {
        "props": GARDEN["props"]
        | {
            "box": {
                "kind": "container",
                "openable": True,
                "open": False,
                "location": "shed",
                "hidden": True,
            },
            "key": {"location": "box"},
        }
    }
    run = garden_run(scenario=scenario)
    done = _followed(run)

    assert run.finished
    assert any(isinstance(action, Search) for action in done)
    assert Open(actor_id=PLAYER, target_id=Id("box")) in done
