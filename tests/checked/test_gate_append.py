"""Callers at one run of a gate, in every order in which they can interleave."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from saniwa.store.gate import key_index, run_journal
from tests.checked.gate_world import (
    Errand,
    GateSchedules,
    audit_run,
    make_knock,
    read_run,
    send_all,
)
from tests.checked.promised_counts import read_promised_count
from tests.fakes.nightly import NIGHTLY

FAULTS = ("killed", "torn", "short", "full", "unsynced")
Meeting = tuple[list[Errand], list[list[str]]]
"""What each caller does, and the sets of answers that they may receive."""

MEETINGS: dict[str, Meeting] = {
    "two events for one revision": (
        [send_all(make_knock("a")), send_all(make_knock("b"))],
        [["accepted", "REVISION_CONFLICT"]],
    ),
    "one request twice": (
        [send_all(make_knock("a")), send_all(make_knock("a"))],
        [["accepted", "replayed"]],
    ),
    "one key for two requests": (
        [send_all(make_knock("a", who="A")), send_all(make_knock("a", who="B"))],
        [["accepted", "IDEMPOTENCY_CONFLICT"]],
    ),
    "a reader beside a writer": ([send_all(make_knock("a")), read_run], [["accepted"]]),
    "an audit beside a writer": ([send_all(make_knock("a")), audit_run], [["accepted"]]),
}
LONG: dict[str, Meeting] = {
    "two events each": (
        [
            send_all(make_knock("a"), make_knock("b", 2)),
            send_all(make_knock("c"), make_knock("d", 2)),
        ],
        [["accepted", "accepted", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
    ),
    "three events for one revision": (
        [send_all(make_knock("a")), send_all(make_knock("b")), send_all(make_knock("c"))],
        [["accepted", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
    ),
    "one request thrice": ([send_all(make_knock("a"))] * 3, [["accepted", "replayed", "replayed"]]),
}
TRIED = MEETINGS | (LONG if NIGHTLY else {})
STAYED = TRIED if NIGHTLY else ["one request twice"]
STRUCK = list(MEETINGS)[:4] if NIGHTLY else ["one request twice"]


def _make_schedules(folder: Path, meeting: str, *, shared: bool = False) -> GateSchedules:
    errands, outcomes = TRIED[meeting]
    # Three callers that also close their logs have too many orders for one night.
    return GateSchedules(
        folder, *errands, outcomes=outcomes, shared=shared, leaves=len(errands) < 3
    )


@pytest.fixture(params=["room", "an index"])
def staying_writer(request: pytest.FixtureRequest) -> Iterator[None]:
    """A writer that stays open preallocates space; a long run has an index."""
    index = request.param == "an index"
    with (
        patch.object(run_journal, "_APPENDS_BEFORE_PREALLOCATION", 16 if index else 0),
        patch.object(run_journal, "PREALLOCATION", b"\n" * 100),
        patch.object(key_index, "_WRITE_WHILE_OPEN", (1, 1 << 20) if index else (4096, 4)),
        patch.object(key_index, "_WRITE_ON_CLOSE", (1, 1 << 20) if index else (1000, 16)),
    ):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("meeting", TRIED)
def test_processes_in_every_order(tmp_path: Path, meeting: str) -> None:
    """A revision gets one event, a key gets one event, and a power cut at any moment loses none."""
    figures = _make_schedules(tmp_path, meeting).explore()

    assert read_promised_count("two processes that write to one run of a gate") <= figures.schedules
    figures.log_figures(meeting)


@pytest.mark.slow
@pytest.mark.usefixtures("staying_writer")
@pytest.mark.parametrize("meeting", STAYED)
def test_writers_that_stay_in_every_order(tmp_path: Path, meeting: str) -> None:
    """The same is true with preallocated space, and with an index written at every close."""
    figures = _make_schedules(tmp_path, meeting).explore()

    assert read_promised_count("the same with disk space reserved beforehand") <= figures.schedules
    figures.log_figures(meeting)


@pytest.mark.slow
@pytest.mark.parametrize("meeting", TRIED)
def test_threads_of_one_process_in_every_order(tmp_path: Path, meeting: str) -> None:
    """The same is true for threads that share a log, as in a server."""
    figures = _make_schedules(tmp_path, meeting, shared=True).explore()

    assert read_promised_count("threads of one server") <= figures.schedules
    figures.log_figures(meeting)


@pytest.mark.slow
@pytest.mark.parametrize("meeting", STRUCK)
def test_a_fault_at_every_step_of_a_writer(tmp_path: Path, meeting: str) -> None:
    """If a writer is killed or one of its writes or syncs fails, the other sees no difference."""
    figures = _make_schedules(tmp_path, meeting).explore_faults(FAULTS, [0])

    assert read_promised_count("one request twice, where the first sender") <= figures.schedules
    figures.log_figures(meeting)
