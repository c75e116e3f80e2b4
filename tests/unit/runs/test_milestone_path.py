import asyncio

import msgspec
import pytest

from saniwa.app.run_service import RunService
from saniwa.runs.run import Run
from saniwa.turn.hints import find_milestone_path
from saniwa.world.actions import Put, Use, get_action_type
from tests.fakes.runs import GARDEN, open_courtyard_run


def _follow_hints(run: Run) -> list[str]:
    """The actions of the hints, done one after the other."""

    async def follow() -> list[str]:
        done: list[str] = []
        while (action := run.find_hint().action) is not None:
            done.append(get_action_type(action))
            await run.act(msgspec.to_builtins(action))
        return done

    return asyncio.run(follow())


@pytest.mark.parametrize("name", ["kitchen", "kitchen_ja"])
def test_hints_lead_through_a_kitchen(name: str) -> None:
    """Hints lead through taking, cutting, cooking and serving, and burn nothing."""
    run = RunService("memory:").begin(name)
    first = run.find_hint()
    done = _follow_hints(run)

    assert run.is_finished
    assert first.steps == len(done)
    assert {"move", "take", "use", "put"} == {*done}
    assert not any("burned" in flag for flag, is_set in run.world.flags.items() if is_set)


def test_from_the_middle_the_way_continues() -> None:
    """A player who has made mistakes is led to the goal from there."""
    run = RunService("memory:").begin("kitchen")
    for words in ("take the knife", "take the card", "go south", "take the potato"):
        asyncio.run(run.say(words))

    _follow_hints(run)
    assert run.is_finished


@pytest.mark.parametrize(
    ("fact", "way"),
    [
        ({"entity": "key", "place": "hook"}, ["take", "move", "put"]),
        ({"entity": "loaf", "condition": "gone"}, ["move", "eat"]),
    ],
)
def test_what_is_put_or_eaten_needs_no_craft(fact: object, way: list[str]) -> None:
    """Milestones for placing or eating need no craft."""
    hook = {"kind": "supporter", "location": "shed"}
    scenario = GARDEN | {
        "props": GARDEN["props"] | {"hook": hook},
        "clear_condition": {"milestones": [{"flag": "done", "facts": [fact]}]},
    }
    run = open_courtyard_run(scenario=scenario)

    assert way == _follow_hints(run)
    assert run.is_finished


def test_what_cannot_be_made_any_more_is_not_hinted_at() -> None:
    """After a mistake that cannot be undone, there is no next action."""
    run = RunService("memory:").begin("kitchen")
    words = ("go south", "take the carrot", "go north", "cook the carrot on the stove")
    for each in (*words, words[-1]):
        asyncio.run(run.say(each))

    assert run.world.flags.get("carrot burned")
    assert run.find_hint().action is None


def test_trying_is_bounded() -> None:
    """The search is limited: too few trials find no way, enough find one."""
    run = RunService("memory:").begin("kitchen")
    asked = (run.world, run.actor, run.book)

    assert () == find_milestone_path(*asked, most=20)
    way = find_milestone_path(*asked)
    assert isinstance(way[-1], Put)
    assert {"slice", "cook", "prepare"} == {each.manner for each in way if isinstance(each, Use)}


def test_without_milestones_there_are_no_steps() -> None:
    """A goal without milestones gives no steps here."""
    run = open_courtyard_run()

    assert () == find_milestone_path(run.world, run.actor, run.book)
