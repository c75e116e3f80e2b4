"""Workers of this machine leave Ctrl-C to whoever started them.

A terminal sends it to everybody at once; a worker that heard it would end in the middle of
a cell, with a page of complaints. Dask loads this in each worker it starts.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


def dask_setup(worker: object) -> None:
    """Hear it no more; Dask calls this by name."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def born_deaf() -> Iterator[None]:
    """Processes started within hear it from their first moment not; ours only later."""
    # It would be started within, by the first process, and lift what is blocked here.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
