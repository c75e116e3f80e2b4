"""One schedule, played: each caller is a thread, and exactly one of them runs."""

import threading
from collections.abc import Callable
from typing import Protocol

from tests.checked.step import Step, make_step

Work = Callable[[], None]


class CallerGoneError(BaseException):
    """The caller was killed or the schedule has ended. Must not be caught."""


class ScheduleCaller:
    """A thread that runs the code under test, as far as the schedule has let it."""

    def __init__(self, number: int, name: str, work: Work) -> None:
        self.number = number
        self.name = name
        self.gone = False
        """Whether it may do nothing more."""
        self.finished = False
        self.steps = 0
        """How many steps it has done."""
        self.pending: Step = make_step("begins")
        self._work = work
        self._baton = threading.Semaphore(0)

    def wake(self) -> None:
        """Let the thread run."""
        self._baton.release()

    def sleep(self) -> None:
        """Wait to be allowed to run."""
        self._baton.acquire()

    def do_work(self) -> None:
        """Run the caller's function."""
        self._work()


class CallerChooser(Protocol):
    """Decides which caller goes next."""

    def choose(self, playing: "ScheduleRun", pending: dict[int, Step]) -> int | None:
        """The caller whose step is done now; None to end here."""
        ...

    def check_state(self) -> None:
        """Called after each step, while every caller waits before its next."""
        ...


_HERE = threading.local()


def get_caller() -> "tuple[ScheduleRun, ScheduleCaller] | None":
    """The schedule and the caller that this thread belongs to; None for other threads."""
    found: tuple[ScheduleRun, ScheduleCaller] | None = getattr(_HERE, "caller", None)
    return found


class ScheduleRun:
    """One schedule in progress."""

    def __init__(self, chooser: CallerChooser) -> None:
        self.callers: list[ScheduleCaller] = []
        self.last = -1
        """The caller that did the last step."""
        self.broken: BaseException | None = None
        """The error that occurred; the schedule ends with it."""
        self._chooser = chooser
        self._over = threading.Semaphore(0)
        self._ended = threading.Semaphore(0)
        self._begun = self._closing = False

    def add(self, name: str, work: Work, first: Step | None = None) -> ScheduleCaller:
        """Add a caller, which waits before its first step."""
        caller = ScheduleCaller(len(self.callers), name, work)
        caller.pending = first or caller.pending
        self.callers.append(caller)
        threading.Thread(target=self._run_caller, args=(caller,), daemon=True).start()
        return caller

    def play(self) -> None:
        """Run the callers until none can continue or the chooser ends the schedule."""
        self._pass_on(None)
        self._over.acquire()
        self._closing = True
        for caller in self.callers:
            if not caller.finished:
                caller.gone = True
                caller.wake()
                self._ended.acquire()

    def reach_step(self, pending: Step) -> None:
        """Wait before a step until it is chosen.

        Raises:
            CallerGoneError: The step will never be chosen.
        """
        caller = self._get_caller()
        if caller.gone:
            raise CallerGoneError
        caller.pending = pending
        self._pass_on(caller)
        if caller.gone:
            raise CallerGoneError
        caller.steps += 1

    def list_unfinished(self) -> list[ScheduleCaller]:
        """Callers that have not finished and were not killed."""
        return [c for c in self.callers if not c.finished and not c.gone]

    def _get_caller(self) -> ScheduleCaller:
        found = get_caller()
        assert found is not None, "only callers do steps"
        return found[1]

    def _run_caller(self, caller: ScheduleCaller) -> None:
        caller.sleep()
        _HERE.caller = (self, caller)
        try:
            if not caller.gone:
                caller.do_work()
        except CallerGoneError:
            pass
        except BaseException as problem:  # noqa: BLE001 - raised when the schedule ends
            self.broken = self.broken or problem
        caller.finished = True
        if self._closing:
            self._ended.release()
        else:
            self._pass_on(None)

    def _pass_on(self, me: ScheduleCaller | None) -> None:
        """Let the chosen caller continue; return when it is this caller's turn again."""
        outside, _HERE.caller = get_caller(), None
        chosen = self._choose_caller()
        _HERE.caller = outside
        if chosen is None:
            self._over.release()
        elif chosen is me:
            return
        else:
            chosen.wake()
        if me is not None:
            me.sleep()

    def _choose_caller(self) -> ScheduleCaller | None:
        try:
            if self._begun and self.broken is None:
                self._chooser.check_state()
            self._begun = True
            if self.broken is not None:
                return None
            pending = {c.number: c.pending for c in self.list_unfinished()}
            number = self._chooser.choose(self, pending)
        except BaseException as problem:  # noqa: BLE001 - raised when the schedule ends
            self.broken = problem
            return None
        if number is None:
            return None
        self.last = number
        return self.callers[number]
