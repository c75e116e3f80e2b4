"""Golden narrations: told turns that must pass the check, and such that must not.

A file plays each turn in its world, after the turns in `after`, and lists what a model
might say of it: `good`, and `bad` by the kind of flag it must raise, or `any`. The check
is strict, and not perfect: `flagged though true` and `told though false` say so openly.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from saniwa.agent.translate.narrator import check_narration
from saniwa.app.scenarios import open_scenario
from saniwa.turn.narration import narrate
from saniwa.turn.record import NarrationFlag
from saniwa.world.model import Id, World
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import speak, speak_all
from tests.fakes.worlds import make_courtyard

FILES = sorted((Path(__file__).parent / "narrations").glob("*.yaml"))
WORLDS: dict[str, Callable[[], World]] = {
    "garden": make_courtyard,
    "house": make_house,
    "pantry": make_pantry,
    "door_and_key": lambda: open_scenario("door_and_key").world,
    "door_and_key_ja": lambda: open_scenario("door_and_key_ja").world,
    "lantern_island": lambda: open_scenario("lantern_island").world,
}


def _iterate_turns() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in FILES:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        yield from ((document["world"], turn) for turn in document["turns"])


def _list_narrations(name: str) -> list[tuple[str, dict[str, Any], str]]:
    return [(world, turn, t) for world, turn in _iterate_turns() for t in turn.get(name, ())]


def _list_bad() -> list[tuple[str, dict[str, Any], str, str]]:
    return [
        (world, turn, kind, text)
        for world, turn in _iterate_turns()
        for kind, texts in turn["bad"].items()
        for text in texts
    ]


def _check_narration(name: str, turn: dict[str, Any], text: str) -> tuple[NarrationFlag, ...]:
    before = speak_all(WORLDS[name](), *turn.get("after", ()))
    played = speak(turn["words"], before)
    viewer = before.protagonist or Id("")
    return check_narration(text, played.turn, before, played.world, viewer)


def test_there_are_enough_of_both() -> None:
    """The table is large enough to mean something, in both languages."""
    assert len(_list_narrations("good")) >= 200
    assert len(_list_bad()) >= 600
    assert set(WORLDS) == {world for world, _ in _iterate_turns()}


@pytest.mark.parametrize(("world", "turn", "text"), _list_narrations("good"))
def test_what_is_so_may_be_told(world: str, turn: dict[str, Any], text: str) -> None:
    """A narration that keeps to the turn raises no flag."""
    assert () == _check_narration(world, turn, text)


@pytest.mark.parametrize(("world", "turn", "text"), _list_narrations("flagged though true"))
def test_what_is_lost_to_strictness_is_known(world: str, turn: dict[str, Any], text: str) -> None:
    """These are so, and told plainly all the same; one that is told belongs to the good."""
    assert _check_narration(world, turn, text)


def test_what_gets_through_is_known() -> None:
    """These are not so and are told; one that is flagged belongs to the bad."""
    known = _list_narrations("told though false")

    assert [()] * len(known) == [_check_narration(*each) for each in known]
    assert len(known) * 50 < len(_list_bad())


@pytest.mark.parametrize(("world", "turn", "kind", "text"), _list_bad())
def test_what_is_not_so_is_flagged(world: str, turn: dict[str, Any], kind: str, text: str) -> None:
    """A narration that adds or contradicts is flagged, and for the right reason."""
    text = "You wait. " * 300 if text == "long" else text

    flags = {flag.kind for flag in _check_narration(world, turn, text)}

    assert flags if kind == "any" else kind in flags


@pytest.mark.parametrize(("world", "turn"), list(_iterate_turns()))
def test_the_plain_narrator_passes_its_own_check(world: str, turn: dict[str, Any]) -> None:
    """What the plain narrator tells of any of these turns is so."""
    before = speak_all(WORLDS[world](), *turn.get("after", ()))
    played = speak(turn["words"], before)
    told = narrate(played.turn, before, played.world)
    text = "\n".join(
        f"{line.speaker}: “{line.text}”" if line.speaker else line.text for line in told
    )

    assert () == _check_narration(world, turn, text)
