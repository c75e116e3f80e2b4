"""Support for coroutine tests, which pytest itself cannot run."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, NoReturn, ParamSpec

P = ParamSpec("P")
_LIMIT: Final = 120
_AGAIN: Final = 5


def run_coroutine(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Wrap a coroutine test in a function that pytest can call."""

    @wraps(test)
    def call_test(*args: P.args, **kwargs: P.kwargs) -> None:
        with _limit_time():
            asyncio.run(test(*args, **kwargs))

    return call_test


@contextmanager
def _limit_time() -> Iterator[None]:
    """Fail after two minutes, even if the event loop itself is blocked.

    The alarm repeats: when a test fails, `asyncio.run` waits for tasks that may never end.
    """
    before = signal.signal(signal.SIGALRM, _fail)
    signal.setitimer(signal.ITIMER_REAL, _LIMIT, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _fail(*_: object) -> NoReturn:
    raise AssertionError(f"the test has not ended after {_LIMIT} seconds")


def finish_coroutine(deed: Awaitable[Any]) -> Any:
    """The result of a coroutine that never has to wait."""
    assert isinstance(deed, Coroutine), "a coroutine"
    try:
        deed.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the coroutine waits, and nothing here can resume it")
