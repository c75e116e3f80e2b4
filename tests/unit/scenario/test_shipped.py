"""The scenarios that come with Saniwa."""

from importlib.resources import files
from pathlib import Path

import pytest

from saniwa.scenario.load import load
from saniwa.scenario.registry import Registry
from saniwa.world.model import World

_FOLDER = Path(str(files("experiments"))) / "scenarios"
_IDS = [e.scenario_id for e in Registry.open(_FOLDER / "registry.yaml").entries]


def _world(scenario_id: str) -> World:
    return load(Registry.open(_FOLDER / "registry.yaml").resolve(scenario_id)).world


@pytest.mark.parametrize("scenario_id", _IDS)
def test_a_shipped_scenario_has_no_finding_and_a_walkthrough(scenario_id: str) -> None:
    """Not even a warning; and somebody has walked through it."""
    loaded = load(Registry.open(_FOLDER / "registry.yaml").resolve(scenario_id))
    walkthrough = _FOLDER / "walkthroughs" / f"{scenario_id}.txt"

    assert () == loaded.report.findings
    assert len(walkthrough.read_text(encoding="utf-8").split("\n")) > 4


def test_the_promised_scenarios_are_there() -> None:
    """Traps, locks, hidden things, the tutorial and the flagship."""
    assert {
        "default",
        "coffee_trap",
        "missing_tool",
        "wrong_location",
        "locked_door",
        "hidden_object",
        "door_and_key",
        "door_and_key_ja",
        "lantern_island",
        "lantern_island_ja",
    } == set(_IDS)


def test_our_coffee_trap_is_the_published_world() -> None:
    """Our own words around it, the same conditions inside."""
    loaded = load(Registry.open(_FOLDER / "registry.yaml").resolve("coffee_trap"))

    assert "4f45a5f08875044b" == loaded.world_hash


@pytest.mark.parametrize("scenario_id", ["lantern_island", "lantern_island_ja"])
def test_the_flagship_has_everything_a_story_world_needs(scenario_id: str) -> None:
    """Eight rooms, locks, containers, supporters, hidden and edible things, a goal."""
    made = _world(scenario_id)
    things = list(made.entities.values())

    assert len(made.locations) >= 8
    assert 3 == sum(1 for _ in made.characters())
    assert {"container", "supporter", "door", "fixture", "item"} < {
        t.kind for t in things
    }
    assert sum(t.locked for t in things) >= 3
    assert sum(t.hidden for t in things) >= 2
    assert sum(t.edible for t in things) >= 2
    assert made.goal is not None


@pytest.mark.parametrize(
    ("english", "japanese"),
    [("door_and_key", "door_and_key_ja"), ("lantern_island", "lantern_island_ja")],
)
def test_twins_are_built_alike(english: str, japanese: str) -> None:
    """The same garden, told in another language."""
    shapes = []
    for scenario_id in (english, japanese):
        made = _world(scenario_id)
        kinds = sorted(
            (t.kind, t.locked, t.hidden, t.edible, t.openable)
            for t in made.entities.values()
        )
        shapes.append((kinds, sorted(len(p.exits) for p in made.locations.values())))

    assert shapes[0] == shapes[1]
    assert ("en", "ja") == (_world(english).language, _world(japanese).language)
