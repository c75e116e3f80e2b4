import asyncio

import msgspec
import pytest
from msgspec.structs import replace

from saniwa.rulebook.judge import find_admissible_actions
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.runs.run import Run
from saniwa.turn.hints import Hint, find_hint
from saniwa.world.actions import Action, Open, Search, Take, get_action_type
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN, GO_NORTH, OPEN_GATE, TAKE_KEY, open_courtyard_run
from tests.fakes.worlds import PLAYER, make_courtyard


def _follow_hints(run: Run) -> list[Action]:
    """The actions of all hints, done one after the other."""

    async def follow() -> list[Action]:
        done: list[Action] = []
        while (action := run.find_hint().action) is not None:
            done.append(action)
            await run.act(msgspec.to_builtins(action))
        return done

    return asyncio.run(follow())


def test_following_hints_leads_to_the_goal() -> None:
    """Following the hints reaches the goal."""
    run = open_courtyard_run()

    assert ["take", "open", "move"] == [get_action_type(action) for action in _follow_hints(run)]
    assert run.is_finished


def test_a_hint_counts_the_steps_and_lists_what_is_possible() -> None:
    """A hint has the next action, the number of steps, and all possible actions."""
    book = build_rulebook(resolve_layers("default"))
    found = find_hint(make_courtyard(), PLAYER, book)

    assert Take(actor_id=PLAYER, target_id=Id("key"), source_id=None) == found.action
    assert 3 == found.steps
    assert found.action in found.possible


def test_a_hint_knows_the_strict_book() -> None:
    """With the strict book, unlocking is a step of its own."""
    book = build_rulebook(resolve_layers("strict"))

    assert 4 == find_hint(make_courtyard(), PLAYER, book).steps


def test_the_same_situation_gives_the_same_hint() -> None:
    """The same situation gives the same hint."""
    book = build_rulebook(resolve_layers("default"))

    assert find_hint(make_courtyard(), PLAYER, book) == find_hint(make_courtyard(), PLAYER, book)


def test_without_a_goal_only_the_possible_is_listed() -> None:
    """Without a goal, a hint only lists the possible actions."""
    book = build_rulebook(resolve_layers("default"))
    aimless = replace(make_courtyard(), goal=None)

    assert Hint(possible=find_admissible_actions(aimless, PLAYER, book)) == find_hint(
        aimless, PLAYER, book
    )


def test_at_the_goal_there_is_nothing_to_hint_at() -> None:
    """At the goal, a hint only lists the possible actions."""
    run = open_courtyard_run()
    for action in (TAKE_KEY, OPEN_GATE, GO_NORTH):
        asyncio.run(run.act(action))

    assert Hint(possible=run.list_admissible()) == run.find_hint()


def test_looking_ahead_is_bounded() -> None:
    """The search is limited, and without a result there is no next action."""
    book = build_rulebook(resolve_layers("default"))

    assert find_hint(make_courtyard(), PLAYER, book, situations=2, trials=2).action is None


@pytest.mark.parametrize("name", ["default", "strict"])
def test_where_the_shortest_way_is_not_seen_some_way_has_no_detours(name: str) -> None:
    """If the search is too small for the shortest way, the way found has no detours."""
    book = build_rulebook(resolve_layers(name))
    seen = find_hint(make_courtyard(), PLAYER, book)

    assert seen == find_hint(make_courtyard(), PLAYER, book, situations=1)


def test_whose_turn_it_is_does_not_hide_the_way() -> None:
    """A turn order does not affect the search."""
    book = build_rulebook(resolve_layers("default"))
    ordered = replace(make_courtyard(), turn_order=(PLAYER, Id("keeper")))

    assert 3 == find_hint(ordered, PLAYER, book).steps


def test_a_character_off_stage_gets_no_next_action() -> None:
    """A character off stage gets no next action."""
    book = build_rulebook(resolve_layers("default"))
    entities = list(make_courtyard().entities.values())
    gone = [msgspec.structs.replace(e, place=None) if e.id == PLAYER else e for e in entities]
    world = build_world(gone, list(make_courtyard().locations.values()), goal=make_courtyard().goal)

    assert find_hint(world, PLAYER, book).action is None


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
    run = open_courtyard_run(scenario=scenario)
    done = _follow_hints(run)

    assert run.is_finished
    assert any(isinstance(action, Search) for action in done)
    assert Open(actor_id=PLAYER, target_id=Id("box")) in done
