"""Callers of one PostgreSQL, whose statements are executed in a random order.

Each caller is a thread with connections of its own. A statement is a step: it waits until
it is chosen. A statement that waits for a lock in the server continues when the lock is
released, and meanwhile the other callers are chosen.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random  # noqa: TID251 - seeded by the caller
from typing import Any
from unittest.mock import patch

import psycopg

_PATIENCE = 120.0
_GLANCE = 0.002
_EXECUTE = psycopg.Connection.execute


class StatementCaller:
    """A caller that executes one statement at a time."""

    def __init__(self, errand: Callable[[], None]) -> None:
        self._errand = errand
        self._turn = threading.Semaphore(0)
        self.waits = False
        """Whether the next statement is known and not started."""
        self.problem: BaseException | None = None
        """An unexpected error."""
        self.speaks_on = 0
        """The server's process id for the connection of the current statement."""
        self.thread = threading.Thread(target=self._run, daemon=True)

    @property
    def is_done(self) -> bool:
        """Whether the caller has finished."""
        return not self.thread.is_alive()

    def go(self) -> None:
        """Let the next statement be executed."""
        self.waits = False
        self._turn.release()

    def await_turn(self, server: int) -> None:
        """Wait, in the caller's own thread, until a statement is chosen."""
        self.speaks_on, self.waits = server, True
        assert self._turn.acquire(timeout=_PATIENCE), "no caller passed the turn on"

    def _run(self) -> None:
        try:
            self._errand()
        except BaseException as problem:  # noqa: BLE001 - raised when the schedule ends
            self.problem = problem


def play(url: str, errands: Sequence[Callable[[], None]], chance: Random) -> str:
    """Run the callers in a random order; returns each step's caller, as a string of digits."""
    callers = [StatementCaller(errand) for errand in errands]
    order = ""
    with psycopg.connect(url, autocommit=True) as watch, _step_statements(callers):
        for each in callers:
            each.thread.start()
        while not all(each.is_done for each in callers):
            _settle(watch, callers)
            ready = [n for n, each in enumerate(callers) if each.waits]
            if ready:
                turn = chance.choice(ready)
                order += str(turn)
                callers[turn].go()
    for each in callers:
        if each.problem is not None:
            raise AssertionError(f"in the order {order}") from each.problem
    return order


@contextmanager
def _step_statements(callers: Sequence[StatementCaller]) -> Iterator[None]:
    def execute(server: Any, *words: Any, **more: Any) -> Any:
        own = (c for c in callers if c.thread is threading.current_thread())
        caller = next(own, None)
        if caller is not None:
            caller.await_turn(server.info.backend_pid)
        return _EXECUTE(server, *words, **more)

    with patch.object(psycopg.Connection, "execute", execute):
        yield


def _settle(watch: Any, callers: Sequence[StatementCaller]) -> None:
    """Wait until each caller has a next statement, waits for another's lock, or is done."""
    until = time.monotonic() + _PATIENCE
    while not all(each.waits or each.is_done or _is_blocked(watch, each) for each in callers):
        assert time.monotonic() < until, "no caller continues"
        threading.Event().wait(_GLANCE)
    stuck = not any(each.waits or each.is_done for each in callers)
    assert not stuck, "everybody waits for another"


def _is_blocked(watch: Any, caller: StatementCaller) -> bool:
    asked = "SELECT cardinality(pg_blocking_pids(%s))"
    (others,) = _EXECUTE(watch, asked, (caller.speaks_on,)).fetchall()
    return bool(others[0])
