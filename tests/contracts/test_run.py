"""What every run promises, over every scenario that Saniwa ships."""

import asyncio
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.scenario_lookup import locate_shipped_registry
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.runs.replay import replay_run
from saniwa.runs.run import TurnResult
from saniwa.scenario.registry import Registry
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from saniwa.turn.record import Turn
from tests.fakes.runs import summarize_replay
from tests.fakes.stepresults import assert_keeps_contract

SHIPPED = [entry.scenario_id for entry in Registry.open(locate_shipped_registry()).entries]


def _make_service(file: Path, ids: CountingIds, clock: FixedClock) -> RunService:
    return RunService(SqliteRunStore(file), ids=ids, clock=clock)


def _play_walkthrough(name: str, file: Path, *, restarted: bool) -> list[TurnResult]:
    """Play the walkthrough, without a break or with a restart after each turn."""
    ids, clock = CountingIds(), FixedClock()
    parts = _make_service(file, ids, clock)
    run = parts.begin(name)
    told = []
    for line in parts.read_walkthrough(name):
        told.append(asyncio.run(run.say(line)))
        if restarted:
            parts.close()
            parts = _make_service(file, ids, clock)
            run = parts.resume("last")
    parts.close()
    return told


@pytest.mark.parametrize("name", SHIPPED)
def test_a_run_is_the_same_live_and_through_restarts(tmp_path: Path, name: str) -> None:
    """A run resumed after every turn has the same turns and steps as one without a break."""
    live = _play_walkthrough(name, tmp_path / "live.db", restarted=False)
    restarted = _play_walkthrough(name, tmp_path / "restarted.db", restarted=True)

    assert live == restarted
    assert live
    assert _read_turns(tmp_path / "live.db") == _read_turns(tmp_path / "restarted.db")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_step_of_a_shipped_scenario_keeps_the_contract(tmp_path: Path, name: str) -> None:
    """Every step that a host is shown fits the schema, and a replay has no difference."""
    for told in _play_walkthrough(name, tmp_path / "runs.db", restarted=False):
        assert_keeps_contract(told.step)
    store = SqliteRunStore(tmp_path / "runs.db")
    (summary,) = store.list_runs()
    result = replay_run(store, summary.run_id)
    store.close()

    assert (summary.turns, None) == summarize_replay(result)


def _read_turns(file: Path) -> list[Turn]:
    store = SqliteRunStore(file)
    (summary,) = store.list_runs()
    turns = list(store.read_turns(summary.run_id))
    store.close()
    return turns
