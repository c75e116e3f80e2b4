"""Runs one piece of work in a separate process: `python -m benchmarks.self.child WORK TIMES`."""

import gc
import sys
import tempfile
from pathlib import Path

from benchmarks.self.workloads import WORKS

WARM = 2
"""How often the work is repeated before it is counted, to fill every cache."""


def main(name: str, times: int) -> None:
    """Prepare the work, warm it up, then repeat it `times` times."""
    with tempfile.TemporaryDirectory(prefix="saniwa-self-") as folder:
        again = WORKS[name].begin(Path(folder))
        for _ in range(WARM):
            again()
        gc.collect()
        # When garbage is collected depends on earlier allocations, so it is not counted.
        gc.disable()
        for _ in range(times):
            again()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
