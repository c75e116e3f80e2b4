"""One piece of work in a process of its own: `python -m benchmarks.self.child WORK TIMES`."""

import gc
import sys
import tempfile
from pathlib import Path

from benchmarks.self.workloads import WORKS

WARM = 2
"""Times that do not count: afterwards every cache is filled."""


def main(name: str, times: int) -> None:
    """Prepare the work, get it going, and do it so many times more."""
    with tempfile.TemporaryDirectory(prefix="saniwa-self-") as folder:
        again = WORKS[name].begin(Path(folder))
        for _ in range(WARM):
            again()
        gc.collect()
        # When rubbish is collected depends on all that came before: it is no part of it.
        gc.disable()
        for _ in range(times):
            again()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
