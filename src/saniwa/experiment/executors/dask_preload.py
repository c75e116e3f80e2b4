"""Makes local Dask workers ignore Ctrl-C and print nothing.

Dask loads this module in each worker it starts. A terminal sends Ctrl-C to the whole
process group; a worker that received it would end in the middle of a cell. A worker
that is stopped while it starts prints a long traceback; anything important is returned
to the executor as a value.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C and discard standard error; Dask calls this by name."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes started inside; this process receives it afterwards."""
    # Start the resource tracker first: started by the first process inside, it would
    # remove the block.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
