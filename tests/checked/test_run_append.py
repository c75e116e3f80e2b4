"""Players of one run, in every order in which they can get in each other's way."""

from pathlib import Path

import pytest

from tests.checked.memory_world import MemoryParties
from tests.checked.promised import least
from tests.checked.run_world import Errand, Parties, edits, goes_back, reads, says
from tests.fakes.nightly import NIGHTLY

Party = tuple[list[Errand], list[list[str]], list[str]]
"""What each does, what they may be told all together, and what was said before."""

PARTIES: dict[str, Party] = {
    "two turns of one number": (
        [says("a", "take the brass key"), says("b", "go east")],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
    "one request twice": ([says("a", "go east"), says("a", "go east")], [["done", "done"]], []),
    "one key for two requests": (
        [says("a", "go east"), says("a", "take the brass key")],
        [["done", "IDEMPOTENCY_CONFLICT"]],
        [],
    ),
    "going back beside a turn": (
        [goes_back("a", 1), says("b", "go west", 1)],
        [["done", "REVISION_CONFLICT"]],
        ["go east"],
    ),
    "other rules beside a turn": (
        [edits("a", 0), says("b", "take the brass key")],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
    "a reader beside a turn": ([says("a", "go east"), reads], [["done"]], []),
}
LONG: dict[str, Party] = {
    "three turns of one number": (
        [says("a", "take the brass key"), says("b", "go east"), says("c", "look")],
        [["done", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
        [],
    ),
    "one request thrice": ([says("a", "go east")] * 3, [["done"] * 3], []),
    "two turns and a reader": (
        [says("a", "go east"), says("b", "look"), reads],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
}
TRIED = PARTIES | (LONG if NIGHTLY else {})
KILLED = list(PARTIES) if NIGHTLY else ["one request twice"]


@pytest.mark.slow
@pytest.mark.parametrize("party", TRIED)
def test_processes_in_every_order(tmp_path: Path, party: str) -> None:
    """One turn for a number, one for a key; who loses leaves nothing; it replays."""
    errands, outcomes, words = TRIED[party]
    figures = Parties(tmp_path, *errands, outcomes=outcomes, words=words).explore()

    row = "a reader" if "reader" in party else "two players of one run in SQLite"
    assert least(row) <= figures.schedules
    figures.tell(party)


@pytest.mark.slow
@pytest.mark.parametrize("party", TRIED)
def test_threads_with_one_memory_in_every_order(tmp_path: Path, party: str) -> None:
    """The same where runs are kept in memory."""
    errands, outcomes, words = TRIED[party]
    parties = MemoryParties(tmp_path, *errands, outcomes=outcomes, words=words)
    figures = parties.explore()

    assert least("the same players in memory") <= figures.schedules
    figures.tell(party)


@pytest.mark.slow
@pytest.mark.parametrize("party", KILLED)
def test_a_player_killed_at_every_step(tmp_path: Path, party: str) -> None:
    """The turn is kept whole or not at all, and the other sees no difference."""
    errands, outcomes, words = TRIED[party]
    parties = Parties(tmp_path, *errands, outcomes=outcomes, words=words)
    figures = parties.explore_kills([0])

    row = "a reader" if "reader" in party else "one request twice, and the first player"
    assert least(row) <= figures.schedules
    figures.tell(party)
