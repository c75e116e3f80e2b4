"""Every store keeps exactly one outcome per cell, also with several writers or a killed one."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from saniwa.app.experiments.experiment_resources import open_outcome_store
from saniwa.core.errors import StoreError
from saniwa.experiment.ports import OutcomeStore
from tests.fakes.cell_writer import make_outcome
from tests.fakes.processes import end_with_test

_EXPERIMENT = "f" * 16
_CELLS = 60


def _locate_store(kind: str, folder: Path, request: pytest.FixtureRequest) -> str:
    if kind == "memory":
        return "memory:"
    if kind == "folder":
        return str(folder / "cells")
    url: str = request.getfixturevalue("postgres_url")
    _forget(url)
    return url


def _forget(url: str) -> None:
    """Remove all outcomes."""
    with psycopg.connect(url) as server:
        server.execute("DROP TABLE IF EXISTS saniwa_cells, saniwa_cells_shape")


@pytest.fixture(params=["memory", "folder", "postgres"])
def outcome_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OutcomeStore]:
    """A store of each kind."""
    opened = open_outcome_store(_locate_store(request.param, tmp_path, request), _EXPERIMENT)
    yield opened
    opened.close()


@pytest.fixture(params=["folder", "postgres"])
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place that two processes can share."""
    return _locate_store(request.param, tmp_path, request)


def _start_keeper(place: str, count: int, size: int = 10) -> "subprocess.Popen[str]":
    program = [sys.executable, "-m", "tests.fakes.cell_writer"]
    return end_with_test(
        subprocess.Popen(
            [*program, place, str(count), str(size)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    )


def _begin(*keepers: "subprocess.Popen[str]") -> None:
    for each in keepers:
        assert each.stdout is not None
        assert "ready\n" == each.stdout.readline()
    for each in keepers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def test_what_is_kept_comes_back_as_it_was(outcome_store: OutcomeStore) -> None:
    """An outcome comes back byte for byte."""
    kept = outcome_store.keep("trial_A_台所_0", make_outcome("trial_A_台所_0"))

    assert True is kept
    assert make_outcome("trial_A_台所_0") == outcome_store.get_outcome("trial_A_台所_0")


def test_the_first_outcome_stays(outcome_store: OutcomeStore) -> None:
    """A second outcome for a cell is refused and changes nothing."""
    first = make_outcome("k", by=1)
    outcome_store.keep("k", first)

    assert False is outcome_store.keep("k", make_outcome("k", by=2))
    assert False is outcome_store.keep("k", first)
    assert first == outcome_store.get_outcome("k")


def test_a_discarded_outcome_makes_room_for_another(outcome_store: OutcomeStore) -> None:
    """The outcome of a failed cell can be discarded and replaced once."""
    failed, later = make_outcome("k", by=1), make_outcome("k", by=2)
    outcome_store.keep("k", failed)

    assert True is outcome_store.discard("k", failed)
    assert None is outcome_store.get_outcome("k")
    assert True is outcome_store.keep("k", later)
    assert later == outcome_store.get_outcome("k")


def test_only_the_outcome_that_was_seen_is_discarded(outcome_store: OutcomeStore) -> None:
    """Only the exact outcome that was read can be discarded."""
    outcome_store.keep("k", make_outcome("k", by=2))

    assert False is outcome_store.discard("k", make_outcome("k", by=1))
    assert False is outcome_store.discard("j", make_outcome("j"))
    assert ["k"] == list(outcome_store.list_keys())


def test_an_unfinished_cell_has_no_outcome(outcome_store: OutcomeStore) -> None:
    """A cell without an outcome is None, and in no list."""
    assert None is outcome_store.get_outcome("k")
    assert [] == list(outcome_store.list_keys())


def test_keys_come_in_order(outcome_store: OutcomeStore) -> None:
    """Keys are listed by code point, whatever the order they were kept in."""
    keys = ["b_10", "B_9", "あ", "b_9", "D+model=small_x_0"]
    for key in keys:
        outcome_store.keep(key, make_outcome(key))

    assert sorted(keys) == list(outcome_store.list_keys())


@pytest.mark.parametrize(
    "key", ["", "../k", "a/b", "a\\b", ".hidden", "a\nb", "a\x00b", "k" * 201, "\udc80"]
)
def test_a_key_that_could_lead_elsewhere_is_refused(outcome_store: OutcomeStore, key: str) -> None:
    """A key that could name another place is refused in every call."""
    with pytest.raises(StoreError, match="NAME_UNUSABLE"):
        outcome_store.keep(key, make_outcome(key.encode("utf-8", "replace").decode()))
    with pytest.raises(StoreError, match="NAME_UNUSABLE"):
        outcome_store.get_outcome(key)
    with pytest.raises(StoreError, match="NAME_UNUSABLE"):
        outcome_store.discard(key, b"")

    assert [] == list(outcome_store.list_keys())


def test_a_large_outcome_is_kept_whole(outcome_store: OutcomeStore) -> None:
    """An outcome of five million characters is kept whole."""
    large = make_outcome("k", 5_000_000)
    outcome_store.keep("k", large)

    assert large == outcome_store.get_outcome("k")


def test_of_many_threads_one_is_first(outcome_store: OutcomeStore) -> None:
    """Of many threads that keep one cell, exactly one succeeds."""
    with ThreadPoolExecutor(4) as pool:
        told = list(
            pool.map(lambda by: outcome_store.keep("k", make_outcome("k", by=by)), range(16))
        )

    assert {True: 1, False: 15} == Counter(told)


def test_closing_twice_is_no_mistake(outcome_store: OutcomeStore) -> None:
    """A store can be closed twice."""
    outcome_store.close()
    outcome_store.close()


@pytest.mark.slow
def test_of_two_processes_one_is_first(store_place: str) -> None:
    """Of two processes that keep the same cells, exactly one succeeds for each cell."""
    keepers = [_start_keeper(store_place, _CELLS), _start_keeper(store_place, _CELLS)]
    _begin(*keepers)
    told = [line for each in keepers for line in each.communicate()[0].split("\n")[:-1]]
    shelf = open_outcome_store(store_place, _EXPERIMENT)
    found = list(shelf.list_keys())
    shelf.close()

    expected = [f"{n} {won}" for n in range(_CELLS) for won in (True, False)]
    assert Counter(expected) == Counter(told)
    assert _CELLS == len(found)


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 5, 17])
def test_a_killed_writer_leaves_whole_cells(store_place: str, after: int) -> None:
    """A writer that is killed leaves every acknowledged outcome, and no incomplete one."""
    keeper = _start_keeper(store_place, 1000, 200_000)
    _begin(keeper)
    assert keeper.stdout is not None
    told = [keeper.stdout.readline() for _ in range(after)]
    os.kill(keeper.pid, signal.SIGKILL)
    keeper.communicate()
    shelf = open_outcome_store(store_place, _EXPERIMENT)
    found = list(shelf.list_keys())
    whole = {key: shelf.get_outcome(key) for key in found}
    shelf.close()

    assert [f"{n} True\n" for n in range(after)] == told
    assert {f"k{n}" for n in range(after)} <= set(found)
    assert {k: make_outcome(k, 200_000, keeper.pid) for k in found} == whole
