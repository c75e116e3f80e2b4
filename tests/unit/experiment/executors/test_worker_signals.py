"""Workers that ignore Ctrl-C and print nothing."""

import subprocess
import sys

_WORKER = """
import os, signal, sys
from saniwa.integrations import dask_cluster
print("before", file=sys.stderr, flush=True)
dask_cluster.dask_setup(None)
os.kill(os.getpid(), signal.SIGINT)
print("after", file=sys.stderr, flush=True)
print("still here")
raise RuntimeError("a page of complaints")
"""


def test_a_worker_is_deaf_and_silent_once_it_is_set_up() -> None:
    """A worker ignores Ctrl-C, and its error output does not reach the terminal."""
    ended = subprocess.run(
        [sys.executable, "-c", _WORKER], capture_output=True, text=True, check=False
    )

    assert "still here\n" == ended.stdout
    assert "before\n" == ended.stderr
    assert 1 == ended.returncode
