"""The way out of the command line."""

import subprocess
import sys

_PRESSED_WHILE_IMPORTING = """
import io, sys
from saniwa.cli import main

class Keys(io.RawIOBase):
    def readable(self):
        return True
    def readinto(self, space):
        exec("raise KeyboardInterrupt")

sys.stdin = io.TextIOWrapper(io.BufferedReader(Keys()))
sys.argv = ["saniwa", "world", "--stdio"]
main()
"""


def test_a_ctrl_c_in_an_import_ends_with_its_code_and_not_by_the_signal() -> None:
    """Python would die of an answered Ctrl-C that went through an `exec` on its way."""
    ended = subprocess.run(
        [sys.executable, "-c", _PRESSED_WHILE_IMPORTING],
        capture_output=True,
        check=False,
    )

    assert (130, b"") == (ended.returncode, ended.stderr)
