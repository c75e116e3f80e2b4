"""What every run promises, over every scenario that comes with us."""

import asyncio
from pathlib import Path

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.run.replay import replay
from saniwa.run.standing import Told
from saniwa.scenario.registry import Registry
from saniwa.store.sqlite import SqliteStore
from saniwa.turn.trace import Turn
from saniwa.wiring import Parts, shipped_registry
from tests.fakes.runs import outcome
from tests.fakes.stepresults import assert_keeps_contract

SHIPPED = [entry.scenario_id for entry in Registry.open(shipped_registry()).entries]


def _parts(file: Path, ids: CountingIds, clock: FixedClock) -> Parts:
    return Parts(SqliteStore(file), ids=ids, clock=clock)


def _told(name: str, file: Path, *, restarted: bool) -> list[Told]:
    """The walkthrough played through, without a break or with one after each turn."""
    ids, clock = CountingIds(), FixedClock()
    parts = _parts(file, ids, clock)
    run = parts.begin(name)
    told = []
    for line in parts.walkthrough(name):
        told.append(asyncio.run(run.say(line)))
        if restarted:
            parts.close()
            parts = _parts(file, ids, clock)
            run = parts.resume("last")
    parts.close()
    return told


@pytest.mark.parametrize("name", SHIPPED)
def test_a_run_is_the_same_live_and_through_restarts(tmp_path: Path, name: str) -> None:
    """Played in one go or resumed after every turn: same turns, same steps, same file."""
    live = _told(name, tmp_path / "live.db", restarted=False)
    restarted = _told(name, tmp_path / "restarted.db", restarted=True)

    assert live == restarted
    assert live
    assert _kept(tmp_path / "live.db") == _kept(tmp_path / "restarted.db")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_step_of_a_shipped_scenario_keeps_the_contract(
    tmp_path: Path, name: str
) -> None:
    """Whatever a host is shown fits the schema, and a replay says the same again."""
    for told in _told(name, tmp_path / "runs.db", restarted=False):
        assert_keeps_contract(told.step)
    store = SqliteStore(tmp_path / "runs.db")
    (summary,) = store.runs()
    result = replay(store, summary.run_id)
    store.close()

    assert (summary.turns, None) == outcome(result)


def _kept(file: Path) -> list[Turn]:
    store = SqliteStore(file)
    (summary,) = store.runs()
    turns = list(store.turns(summary.run_id))
    store.close()
    return turns
