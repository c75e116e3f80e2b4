import asyncio
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.run.hosted.moment import Request
from saniwa.run.hosted.record import Origin
from saniwa.turn.trace import Asked
from saniwa.wiring.garden import garden as module
from saniwa.wiring.garden.garden import Garden
from tests.fakes.gardens import garden_in

_DOOR = Origin(scenario="door_and_key")
_TALE = Origin(story="lantern-island")


def _restarted(folder: Path) -> Garden:
    """The same garden, opened by another process."""
    return garden_in(folder, str(folder / "saniwa.sqlite"))


@pytest.mark.parametrize("origin", [_DOOR, _TALE], ids=["scenario", "story"])
def test_a_run_is_found_again_by_another_process(
    tmp_path: Path, origin: Origin
) -> None:
    """It stands where hosts were told that it stands."""

    async def story() -> None:
        first = _restarted(tmp_path)
        hosted = await first.begin(origin)
        request = Request(revision=hosted.revision)
        if origin.scenario:
            told = await hosted.say(request, "go east")
        else:
            told = await hosted.step(request)
        found = await _restarted(tmp_path).hosted(hosted.id)

        assert told.step == found.moment().step
        assert told.revision == found.revision

    asyncio.run(story())


@pytest.mark.parametrize("origin", [_DOOR, _TALE], ids=["scenario", "story"])
def test_two_processes_see_what_the_other_did(tmp_path: Path, origin: Origin) -> None:
    """Each asked run is brought to where anybody has left it."""

    async def story() -> None:
        one, other = _restarted(tmp_path), _restarted(tmp_path)
        here = await one.begin(origin)
        there = await other.hosted(here.id)
        request = Request(revision=there.revision)
        if origin.scenario:
            told = await there.say(request, "go east")
        else:
            told = await there.step(request)
        seen = await one.hosted(here.id)

        assert told.revision == seen.revision
        assert told.step == seen.moment().step

    asyncio.run(story())


def test_runs_held_open_are_bounded_and_none_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was not asked for longest is let go, and found again."""
    monkeypatch.setattr(module, "OPEN", 2)

    async def story() -> None:
        garden = garden_in(tmp_path)
        begun = [(await garden.begin(_DOOR)).id for _ in range(4)]
        held = len(garden._open)
        await garden.hosted(begun[2])
        again = await garden.hosted(begun[0])

        assert 2 == held
        assert begun[0] == again.id
        assert {begun[2], begun[0]} == set(garden._open)

    asyncio.run(story())


def test_a_begun_run_is_remembered_by_its_key_and_its_owner(tmp_path: Path) -> None:
    """The same key of somebody else is another request."""

    async def story() -> None:
        garden = garden_in(tmp_path)
        asked = Asked(key="k", digest="d")
        mine = await garden.begin(Origin(scenario="door_and_key", owner="mika"), asked)
        again = await garden.begin(Origin(scenario="door_and_key", owner="mika"), asked)
        hers = await garden.begin(Origin(scenario="door_and_key", owner="ren"), asked)

        assert mine.id == again.id
        assert mine.id != hers.id
        with pytest.raises(StoreError, match="another request"):
            await garden.begin(
                Origin(scenario="coffee_trap", owner="mika"),
                Asked(key="k", digest="other"),
            )

    asyncio.run(story())


def test_all_runs_are_listed_once(tmp_path: Path) -> None:
    """Those with a world, those without, and those begun elsewhere."""

    async def story() -> None:
        garden = garden_in(tmp_path)
        (tmp_path / "stories").mkdir()
        plain = "---\ntitle: Plain\n---\n# Plain\n\nAnn: Hello.\n"
        (tmp_path / "stories" / "plain.md").write_text(plain)
        elsewhere = garden.parts.begin("door_and_key").id
        begun = [
            (await garden.begin(each)).id
            for each in (_DOOR, _TALE, Origin(story="plain"))
        ]
        told = await garden.hosted(begun[-1])
        await told.save("here")

        assert sorted([elsewhere, *begun]) == sorted(garden.run_ids())

    asyncio.run(story())
