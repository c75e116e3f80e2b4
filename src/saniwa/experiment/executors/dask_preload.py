"""Workers of this machine leave Ctrl-C, and talking to people, to whoever started them.

A terminal sends Ctrl-C to everybody at once; a worker that heard it would end in the middle
of a cell. And one that is told to go while it is still coming writes a page about it: what
matters of a worker comes back as a value. Dask loads this in each worker it starts.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


def dask_setup(worker: object) -> None:
    """Hear it no more, and complain to nobody; Dask calls this by name."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Processes started within hear it from their first moment not; ours only later."""
    # It would be started within, by the first process, and lift what is blocked here.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
