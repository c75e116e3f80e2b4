"""Holding a file alone, by the kernel's own lock: whoever dies lets go.

The lock belongs to the file that was opened, so that file is never renamed, and whoever
forks while holding must not let the child keep it (see `FileLog`).
"""

import fcntl
import time

ALONE = fcntl.LOCK_EX
"""Nobody else reads or writes."""
SHARED = fcntl.LOCK_SH
"""Others may read, nobody writes."""
_FIRST_WAIT = 50e-6
_LONGEST_WAIT = 1e-3
_GROWTH = 1.5


def take(fd: int, kind: int, until: float) -> bool:
    """Lock the open file; False if that was not possible until then (`time.monotonic`).

    Asks again and again instead of waiting in the kernel, where no deadline is known.
    """
    wait = _FIRST_WAIT
    while not taken(fd, kind):
        if time.monotonic() >= until:
            return False
        time.sleep(wait)
        wait = min(wait * _GROWTH, _LONGEST_WAIT)
    return True


def taken(fd: int, kind: int) -> bool:
    """Lock the open file if that is possible at once; says whether it was."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def let_go(fd: int) -> None:
    """Unlock the open file, for every process that shares it by a fork."""
    fcntl.flock(fd, fcntl.LOCK_UN)
