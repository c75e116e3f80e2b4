"""The disk that durable things are measured on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peers import ENVIRONMENTS


@contextmanager
def on_disk() -> Iterator[Path]:
    """A fresh folder on the disk that the checkout is on: `/tmp` may be memory."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=ENVIRONMENTS, prefix="store-") as folder:
        yield Path(folder)
