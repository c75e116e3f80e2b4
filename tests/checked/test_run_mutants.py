"""Mistakes put into the storing of turns on purpose: each must be found."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.store import run_records
from saniwa.store.sealed_log import compute_turn_seal, encode_record
from saniwa.store.sql_sealed_log import build_sqlite_append
from saniwa.store.sqlite_runs_and_plays import TABLES, SqliteRunStore
from saniwa.turn.record import Turn
from tests.checked.explorer import BrokenPromiseError
from tests.checked.run_world import Errand, RunSchedules, read_turns, say_words

_MOVE_HEAD, _INSERT_TURN = build_sqlite_append(TABLES)
Seed = tuple[Any, str, Any]


async def _append_in_two_steps(self: SqliteRunStore, run_id: str, turn: Turn) -> None:
    """Write the head and the turn in separate transactions."""
    number, payload = turn.number, encode_record(turn)
    before = self._find_previous_seal(run_id, number)
    sealed = compute_turn_seal(before, run_id, number, payload)
    with self._file.begin_transaction():
        if not self._execute(_MOVE_HEAD, (run_id, number, sealed, before)):
            raise run_records.make_turn_conflict_error(run_id, number, number + 1, self.place)
    with self._file.begin_transaction():
        self._execute(_INSERT_TURN, (run_id, number, sealed, payload))


async def _append_unchecked(self: SqliteRunStore, run_id: str, turn: Turn) -> None:
    """Read the revision of the run, then write without checking it again."""
    number, payload = turn.number, encode_record(turn)
    before = self._find_previous_seal(run_id, number)
    sealed = compute_turn_seal(before, run_id, number, payload)
    with self._file.begin_transaction():
        self._execute(_MOVE, (run_id, number, sealed))
        self._execute(_PUT, (run_id, number, sealed, payload))


_MOVE = "UPDATE heads SET count = ?2 + 1, seal = ?3 WHERE run_id = ?1"
_PUT = "INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)"


async def _answer_too_early(self: SqliteRunStore, run_id: str, turn: Turn) -> None:
    """Acknowledge the turn and keep nothing."""
    self._find_previous_seal(run_id, turn.number)


SEEDS: dict[str, tuple[Seed, list[Errand], list[str], str]] = {
    "head and turn are written in two steps": (
        (SqliteRunStore, "append", _append_in_two_steps),
        [say_words("a", "go east"), read_turns],
        ["done"],
        "TRACE_CORRUPT",
    ),
    "where the run stands is read, and not checked when writing": (
        (SqliteRunStore, "append", _append_unchecked),
        [say_words("a", "go east"), say_words("b", "look")],
        ["done", "REVISION_CONFLICT"],
        "received another's turn",
    ),
    "a key is not looked for after a conflict": (
        (ScenarioPlaying, "_find_earlier_answer", lambda *_: None),
        [say_words("a", "go east"), say_words("a", "go east")],
        ["done", "done"],
        "the caller received",
    ),
    "a turn is told before it is kept": (
        (SqliteRunStore, "append", _answer_too_early),
        [say_words("a", "go east"), say_words("b", "look")],
        ["done", "REVISION_CONFLICT"],
        "the caller received",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found(tmp_path: Path, seed: str) -> None:
    """A mistake in the store is reported with the steps that lead to it, one a line."""
    (where, name, wrong), errands, told, why = SEEDS[seed]
    parties = RunSchedules(tmp_path, *errands, outcomes=[told])
    with (
        patch.object(where, name, wrong),
        pytest.raises(BrokenPromiseError, match=r"after these steps:\n   1\. A begins") as found,
    ):
        parties.explore()

    assert why in str(found.value.why)
    assert {"A", "B"} >= {step.partition(" ")[0] for step in found.value.schedule}
