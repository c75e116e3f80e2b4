"""A lock between threads of one process, as steps."""

from itertools import count
from typing import Self

from tests.checked.schedule_run import CallerGoneError, get_caller
from tests.checked.step import make_step


class SteppedLock:
    """Does what `threading.Lock` does; a caller that waits for it cannot be chosen."""

    _names = count()

    def __init__(self) -> None:
        self._name = f"mutex {next(self._names)}"
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002 - the signature of `Lock`
        """Acquire it; without blocking only if it is free."""
        found = get_caller()
        if found is not None:
            ready = (lambda: not self._held) if blocking else None
            what = "takes the mutex" if blocking else "tries the mutex"
            found[0].reach_step(make_step(what, writes=(self._name,), ready=ready))
        free, self._held = not self._held, True
        return free

    def release(self) -> None:
        """Release it."""
        found = get_caller()
        if found is not None and not found[1].gone:
            found[0].reach_step(make_step("gives the mutex back", writes=(self._name,)))
        elif found is not None:
            raise CallerGoneError
        self._held = False

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
