"""The exit of the command line."""

import subprocess
import sys
from pathlib import Path

_PRESSED_WHILE_IMPORTING = """
import io, sys
from saniwa.cli.main import main

class Keys(io.RawIOBase):
    def readable(self):
        return True
    def readinto(self, space):
        exec("raise KeyboardInterrupt")

sys.stdin = io.TextIOWrapper(io.BufferedReader(Keys()))
sys.argv = ["saniwa", "world", "--stdio"]
main()
"""


def test_a_ctrl_c_in_an_import_ends_with_its_code_and_not_by_the_signal(tmp_path: Path) -> None:
    """Ctrl-C during an import exits with status 130, not by the signal."""
    (tmp_path / "pressed.py").write_text(_PRESSED_WHILE_IMPORTING, encoding="utf-8")

    ended = subprocess.run(
        [sys.executable, "-m", "pressed"], cwd=tmp_path, capture_output=True, check=False
    )

    assert (130, b"") == (ended.returncode, ended.stderr)
