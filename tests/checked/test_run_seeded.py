"""Mistakes put into the keeping of turns on purpose: each must be found."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.run.hosted.scenario import HostedRun
from saniwa.store import row
from saniwa.store import sqlite_shape as sql
from saniwa.store.sqlite import SqliteStore
from saniwa.turn.trace import Turn
from tests.checked.explorer import BrokenError
from tests.checked.run_world import Errand, Parties, reads, says

Seed = tuple[Any, str, Any]


def _in_two_steps(self: SqliteStore, run_id: str, turn: Turn) -> None:
    """Head and turn in a transaction each."""
    number, payload = turn.number, row.pack(turn)
    before = self._before(run_id, number)
    sealed = row.seal(before, run_id, number, payload)
    with self._file.writing():
        if not self._write(sql.ADVANCE, (run_id, number, sealed, before)):
            raise row.conflict(run_id, number, number + 1, self.place)
    with self._file.writing():
        self._write(sql.APPEND, (run_id, number, sealed, payload))


def _unchecked(self: SqliteStore, run_id: str, turn: Turn) -> None:
    """Read where the run stands, then write, without looking again."""
    number, payload = turn.number, row.pack(turn)
    before = self._before(run_id, number)
    sealed = row.seal(before, run_id, number, payload)
    with self._file.writing():
        self._write(_MOVE, (run_id, number, sealed))
        self._write(_PUT, (run_id, number, sealed, payload))


_MOVE = "UPDATE heads SET count = ?2 + 1, seal = ?3 WHERE run_id = ?1"
_PUT = "INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)"


def _told_too_early(self: SqliteStore, run_id: str, turn: Turn) -> None:
    """Say that it is kept, and keep nothing."""
    self._before(run_id, turn.number)


SEEDS: dict[str, tuple[Seed, list[Errand], list[str], str]] = {
    "head and turn are written in two steps": (
        (SqliteStore, "append", _in_two_steps),
        [says("a", "go east"), reads],
        ["done"],
        "TRACE_CORRUPT",
    ),
    "where the run stands is read, and not checked when writing": (
        (SqliteStore, "append", _unchecked),
        [says("a", "go east"), says("b", "look")],
        ["done", "REVISION_CONFLICT"],
        "was told another's turn",
    ),
    "a key is not looked for after a conflict": (
        (HostedRun, "_done", lambda *_: None),
        [says("a", "go east"), says("a", "go east")],
        ["done", "done"],
        "they were told",
    ),
    "a turn is told before it is kept": (
        (SqliteStore, "append", _told_too_early),
        [says("a", "go east"), says("b", "look")],
        ["done", "REVISION_CONFLICT"],
        "they were told",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found(tmp_path: Path, seed: str) -> None:
    """With the steps that lead to it, one a line."""
    (where, name, wrong), errands, told, why = SEEDS[seed]
    parties = Parties(tmp_path, *errands, outcomes=[told])
    with (
        patch.object(where, name, wrong),
        pytest.raises(
            BrokenError, match=r"after these steps:\n   1\. A begins"
        ) as found,
    ):
        parties.explore()

    assert why in str(found.value.why)
    assert {"A", "B"} >= {step.partition(" ")[0] for step in found.value.schedule}
