"""Callers at one run of a gate, in every order in which they can get in each other's way."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from saniwa.store.gate import journal, key_index
from tests.checked.gate_world import Errand, Gatherings, audits, knock, reads, sends
from tests.checked.promised import least
from tests.fakes.nightly import NIGHTLY

FAULTS = ("killed", "torn", "short", "full", "unsynced")
Meeting = tuple[list[Errand], list[list[str]]]
"""What each does, and what they may be told, all together."""

MEETINGS: dict[str, Meeting] = {
    "two events for one revision": (
        [sends(knock("a")), sends(knock("b"))],
        [["accepted", "REVISION_CONFLICT"]],
    ),
    "one request twice": ([sends(knock("a")), sends(knock("a"))], [["accepted", "replayed"]]),
    "one key for two requests": (
        [sends(knock("a", who="A")), sends(knock("a", who="B"))],
        [["accepted", "IDEMPOTENCY_CONFLICT"]],
    ),
    "a reader beside a writer": ([sends(knock("a")), reads], [["accepted"]]),
    "an audit beside a writer": ([sends(knock("a")), audits], [["accepted"]]),
}
LONG: dict[str, Meeting] = {
    "two events each": (
        [sends(knock("a"), knock("b", 2)), sends(knock("c"), knock("d", 2))],
        [["accepted", "accepted", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
    ),
    "three events for one revision": (
        [sends(knock("a")), sends(knock("b")), sends(knock("c"))],
        [["accepted", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
    ),
    "one request thrice": ([sends(knock("a"))] * 3, [["accepted", "replayed", "replayed"]]),
}
TRIED = MEETINGS | (LONG if NIGHTLY else {})
STAYED = TRIED if NIGHTLY else ["one request twice"]
STRUCK = list(MEETINGS)[:4] if NIGHTLY else ["one request twice"]


def _gathering(folder: Path, meeting: str, *, shared: bool = False) -> Gatherings:
    errands, outcomes = TRIED[meeting]
    # Three who also leave meet in so many ways that no night is long enough.
    return Gatherings(folder, *errands, outcomes=outcomes, shared=shared, leaves=len(errands) < 3)


@pytest.fixture(params=["room", "an index"])
def staying(request: pytest.FixtureRequest) -> Iterator[None]:
    """A writer that stays makes room beforehand; a long run has an index."""
    index = request.param == "an index"
    with (
        patch.object(journal, "_APPENDS_BEFORE_PREALLOCATION", 16 if index else 0),
        patch.object(journal, "PREALLOCATION", b"\n" * 100),
        patch.object(key_index, "_WRITE_WHILE_OPEN", (1, 1 << 20) if index else (4096, 4)),
        patch.object(key_index, "_WRITE_ON_CLOSE", (1, 1 << 20) if index else (1000, 16)),
    ):
        yield


@pytest.mark.slow
@pytest.mark.parametrize("meeting", TRIED)
def test_processes_in_every_order(tmp_path: Path, meeting: str) -> None:
    """One acceptance for a revision, one event for a key; a cut at any moment harms none."""
    figures = _gathering(tmp_path, meeting).explore()

    assert least("two processes at one run of a gate") <= figures.schedules
    figures.tell(meeting)


@pytest.mark.slow
@pytest.mark.usefixtures("staying")
@pytest.mark.parametrize("meeting", STAYED)
def test_writers_that_stay_in_every_order(tmp_path: Path, meeting: str) -> None:
    """The same with room made beforehand, and with an index written at every leave."""
    figures = _gathering(tmp_path, meeting).explore()

    assert least("the same with room made beforehand") <= figures.schedules
    figures.tell(meeting)


@pytest.mark.slow
@pytest.mark.parametrize("meeting", TRIED)
def test_threads_of_one_process_in_every_order(tmp_path: Path, meeting: str) -> None:
    """The same where they share a log, as behind a server."""
    figures = _gathering(tmp_path, meeting, shared=True).explore()

    assert least("threads of one server") <= figures.schedules
    figures.tell(meeting)


@pytest.mark.slow
@pytest.mark.parametrize("meeting", STRUCK)
def test_a_fault_at_every_step_of_a_writer(tmp_path: Path, meeting: str) -> None:
    """Killed, torn, cut short, out of room or not synced: the other sees no difference."""
    figures = _gathering(tmp_path, meeting).explore_faults(FAULTS, [0])

    assert least("one request twice, and the first sender") <= figures.schedules
    figures.tell(meeting)
