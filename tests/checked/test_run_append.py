"""Players of one run, in every order in which they can interleave."""

from pathlib import Path

import pytest

from tests.checked.memory_world import MemorySchedules
from tests.checked.promised_counts import read_promised_count
from tests.checked.run_world import (
    Errand,
    RunSchedules,
    edit_rules,
    read_turns,
    say_words,
    take_back,
)
from tests.fakes.nightly import NIGHTLY

Party = tuple[list[Errand], list[list[str]], list[str]]
"""What each player does, the sets of answers that they may receive, and what was said before."""

PARTIES: dict[str, Party] = {
    "two turns of one number": (
        [say_words("a", "take the brass key"), say_words("b", "go east")],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
    "one request twice": (
        [say_words("a", "go east"), say_words("a", "go east")],
        [["done", "done"]],
        [],
    ),
    "one key for two requests": (
        [say_words("a", "go east"), say_words("a", "take the brass key")],
        [["done", "IDEMPOTENCY_CONFLICT"]],
        [],
    ),
    "going back beside a turn": (
        [take_back("a", 1), say_words("b", "go west", 1)],
        [["done", "REVISION_CONFLICT"]],
        ["go east"],
    ),
    "other rules beside a turn": (
        [edit_rules("a", 0), say_words("b", "take the brass key")],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
    "a reader beside a turn": ([say_words("a", "go east"), read_turns], [["done"]], []),
}
LONG: dict[str, Party] = {
    "three turns of one number": (
        [say_words("a", "take the brass key"), say_words("b", "go east"), say_words("c", "look")],
        [["done", "REVISION_CONFLICT", "REVISION_CONFLICT"]],
        [],
    ),
    "one request thrice": ([say_words("a", "go east")] * 3, [["done"] * 3], []),
    "two turns and a reader": (
        [say_words("a", "go east"), say_words("b", "look"), read_turns],
        [["done", "REVISION_CONFLICT"]],
        [],
    ),
}
TRIED = PARTIES | (LONG if NIGHTLY else {})
KILLED = list(PARTIES) if NIGHTLY else ["one request twice"]


@pytest.mark.slow
@pytest.mark.parametrize("party", TRIED)
def test_processes_in_every_order(tmp_path: Path, party: str) -> None:
    """A number gets one turn, a key gets one turn, a refused turn leaves nothing."""
    errands, outcomes, words = TRIED[party]
    figures = RunSchedules(tmp_path, *errands, outcomes=outcomes, words=words).explore()

    row = "such a player and a reader" if "reader" in party else "two players of one run in SQLite"
    assert read_promised_count(row) <= figures.schedules
    figures.log_figures(party)


@pytest.mark.slow
@pytest.mark.parametrize("party", TRIED)
def test_threads_with_one_memory_in_every_order(tmp_path: Path, party: str) -> None:
    """The same is true for runs kept in memory."""
    errands, outcomes, words = TRIED[party]
    parties = MemorySchedules(tmp_path, *errands, outcomes=outcomes, words=words)
    figures = parties.explore()

    assert read_promised_count("the same players, or a player and a reader") <= figures.schedules
    figures.log_figures(party)


@pytest.mark.slow
@pytest.mark.parametrize("party", KILLED)
def test_a_player_killed_at_every_step(tmp_path: Path, party: str) -> None:
    """A turn is kept whole or not at all, and the other player sees no difference."""
    errands, outcomes, words = TRIED[party]
    parties = RunSchedules(tmp_path, *errands, outcomes=outcomes, words=words)
    figures = parties.explore_kills([0])

    row = (
        "such a player and a reader"
        if "reader" in party
        else "one request twice, where the first player"
    )
    assert read_promised_count(row) <= figures.schedules
    figures.log_figures(party)
