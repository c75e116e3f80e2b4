"""The disk that durable things are measured on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peers import ENVIRONMENTS

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""


@contextmanager
def open_memory_folder() -> Iterator[Path]:
    """A fresh folder where a sync costs nothing, if there is one: for what is only built."""
    quick = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(dir=quick, prefix="saniwa-bench-") as folder:
        yield Path(folder)


@contextmanager
def open_disk_folder() -> Iterator[Path]:
    """A fresh folder on the disk that the checkout is on: `/tmp` may be memory."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=ENVIRONMENTS, prefix="store-") as folder:
        yield Path(folder)
