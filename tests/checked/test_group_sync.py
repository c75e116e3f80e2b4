"""A server that answers many requests after one commit, in every order of players and commits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.store.group_commit import GroupCommit
from tests.checked.explorer import BrokenPromiseError
from tests.checked.promised_counts import read_promised_count
from tests.checked.server_world import ServerSchedules
from tests.fakes.nightly import NIGHTLY, choose_cases


@pytest.mark.slow
@pytest.mark.parametrize(
    ("looking", "promise"),
    choose_cases(
        [(True, "a server that syncs once"), (False, "the same without reading the state")],
        (False, "the same without reading the state"),
    ),
)
def test_no_caller_is_answered_before_their_turn_lasts(
    tmp_path: Path, looking: bool, promise: str
) -> None:
    """A player that arrives during a commit waits for the next, and none is answered too early."""
    evenings = ServerSchedules(tmp_path, 2, looking=looking)
    figures = evenings.explore_faults() if NIGHTLY else evenings.explore()

    assert read_promised_count(promise) <= figures.schedules
    figures.log_figures("one sync for many")


@pytest.mark.slow
def test_a_turn_is_seen_only_when_it_is_durable(tmp_path: Path) -> None:
    """A watcher of a run sees a turn once it is durable, not when it is written."""
    figures = ServerSchedules(tmp_path, 1, watched=True).explore_faults()

    assert read_promised_count("a client that watches a run") <= figures.schedules
    figures.log_figures("one player, and one who watches")


async def _skip_wait(self: GroupCommit, write: Callable[[], Any]) -> Any:
    """Write without waiting for the commit."""
    outcome, results = self.loop.create_future(), list[Any]()
    self._waiting.append((lambda: results.append(write()), outcome))
    if not self._is_busy:
        self._write_waiting()
    return results[0] if results else None


def _answer_before_commit(self: GroupCommit) -> None:
    """Answer all callers before the commit."""
    self._is_busy, waiting, self._waiting = True, self._waiting, []
    self._transaction.begin()
    for write, outcome in waiting:
        outcome.set_result(self._transaction.run(write))
    committed = self.loop.run_in_executor(None, self._transaction.commit)
    committed.add_done_callback(lambda _: self._end([], None))


def _end_as_success(self: GroupCommit, done: list[Any], _: BaseException | None) -> None:
    """Treat every commit as successful."""
    _end(self, done, None)


_end = GroupCommit._end
SEEDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "no answer waits": ("commit", _skip_wait),
    "every caller is answered before the commit": ("_write_waiting", _answer_before_commit),
    "a commit that failed counts": ("_end", _end_as_success),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found(tmp_path: Path, seed: str) -> None:
    """A mistake in the group commit is found: a caller sees a turn that a power cut would lose."""
    name, wrong = SEEDS[seed]
    evenings = ServerSchedules(tmp_path, 1, watched=True)
    with (
        patch.object(GroupCommit, name, wrong),
        pytest.raises(BrokenPromiseError, match="received a turn that is not durable"),
    ):
        evenings.explore_faults()
