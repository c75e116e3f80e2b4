"""Tests that are coroutines, for a pytest that knows none."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")


def run_coroutine(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine, as pytest calls it."""

    @wraps(test)
    def call_test(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return call_test


def finish_coroutine(deed: Awaitable[Any]) -> Any:
    """What comes of a coroutine that waits for nobody."""
    assert isinstance(deed, Coroutine), "a coroutine"
    try:
        deed.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits, and nobody here could wake it")
