from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checked.explorer import BrokenPromiseError, ExplorationFigures, explore
from tests.checked.schedule_run import ScheduleRun, get_caller
from tests.checked.step import make_step
from tests.fakes.nightly import NIGHTLY

Action = tuple[str, str]
"""What is done, and to which thing."""


class _ToyWorld:
    """Some numbers and a lock; callers with short programs."""

    def __init__(self, playing: ScheduleRun, programs: list[list[Action]], ends: set[Any]) -> None:
        self.things = dict.fromkeys("xyz", 0)
        self.held: dict[str, int | None] = {"l": None}
        self.ends = ends
        self.seen: list[list[int]] = [[] for _ in programs]
        for number, program in enumerate(programs):
            playing.add(f"caller {number}", self._bind_program(playing, number, program))

    def _bind_program(
        self, playing: ScheduleRun, me: int, program: list[Action]
    ) -> Callable[[], None]:
        def run_program() -> None:
            for what, thing in program:
                self._do(playing, me, what, thing)

        return run_program

    def _do(self, playing: ScheduleRun, me: int, what: str, thing: str) -> None:
        if what == "read":
            playing.reach_step(make_step(f"reads {thing}", reads=(thing,)))
            self.seen[me].append(self.things[thing])
        elif what == "write":
            playing.reach_step(make_step(f"writes {thing}", writes=(thing,)))
            self.things[thing] = self.things[thing] * 10 + me + 1
        elif what == "lock":
            free = lambda: self.held["l"] is None  # noqa: E731 - a toy
            playing.reach_step(make_step("locks", writes=("l",), ready=free))
            self.held["l"] = me
        elif self.held["l"] == me:
            playing.reach_step(make_step("unlocks", writes=("l",)))
            self.held["l"] = None

    def look(self) -> None:
        """Check nothing."""

    def end(self) -> None:
        """Note the state at the end."""
        self.ends.add((tuple(self.things.values()), tuple(map(tuple, self.seen))))

    def close(self) -> None:
        """Release nothing."""


def _ends(
    programs: list[list[Action]], *, reduced: bool
) -> tuple[set[Any], ExplorationFigures | None]:
    """The states in which schedules end; no figures if a caller waits forever."""
    ends: set[Any] = set()
    try:
        return ends, explore(lambda p: _ToyWorld(p, programs, ends), reduced=reduced)
    except BrokenPromiseError:
        return set(), None


_ACTIONS = st.tuples(
    st.sampled_from(["read", "write", "write", "lock", "unlock"]), st.sampled_from("xy")
)


@pytest.mark.slow
@settings(max_examples=1000 if NIGHTLY else 25)
@given(st.lists(st.lists(_ACTIONS, max_size=4), min_size=2, max_size=3))
def test_reduction_loses_no_ending(programs: list[list[Action]]) -> None:
    """The reduction reaches every final state with no more schedules than without it."""
    if sum(map(len, programs)) > 7:
        programs = [program[:2] for program in programs]
    whole, every = _ends(programs, reduced=False)
    some, fewer = _ends(programs, reduced=True)

    assert whole == some
    assert (every is None) == (fewer is None)
    if every is not None and fewer is not None:
        assert fewer.schedules <= every.schedules


def test_unrelated_steps_are_played_in_one_order() -> None:
    """Two callers who never touch the same thing need one schedule, not 252."""
    programs = [[("write", "x")] * 4, [("write", "y")] * 4]
    _, every = _ends(programs, reduced=False)
    _, fewer = _ends(programs, reduced=True)

    assert every is not None
    assert fewer is not None
    assert (252, 1) == (every.schedules, fewer.schedules)


def test_a_lock_that_is_never_released_is_found() -> None:
    """A lock that is never released is reported with the steps that lead to it, in order."""
    with pytest.raises(BrokenPromiseError, match="no caller can continue") as found:
        explore(lambda p: _ToyWorld(p, [[("lock", "l")], [("lock", "l")]], set()))

    assert ["caller 0 begins", "caller 0 locks", "caller 1 begins"] == (found.value.schedule)


def test_what_is_not_the_same_again_is_noticed() -> None:
    """A caller that does something else when played again cannot be explored."""
    times = iter(range(100))

    def hum_song(playing: ScheduleRun) -> None:
        playing.reach_step(make_step(f"hums song {next(times)}"))
        playing.reach_step(make_step("writes x", writes=("x",)))

    def make(playing: ScheduleRun) -> _ToyWorld:
        playing.add("moody", lambda: hum_song(playing))
        return _ToyWorld(playing, [[("write", "x")]], set())

    with pytest.raises(BrokenPromiseError, match="not the same again"):
        explore(make)


def test_outside_of_a_schedule_no_thread_is_a_caller() -> None:
    """Outside a schedule, the thread of a test is not a caller."""
    assert get_caller() is None
