import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(sys.executable).with_name("saniwa")


@pytest.mark.parametrize(
    ("program", "path", "expected"),
    [
        ([str(_PROGRAM)], "/usr/bin", str(_PROGRAM)),
        ([sys.executable, "-m", "saniwa"], "/usr/bin", f"{sys.executable} -m saniwa"),
        ([str(_PROGRAM)], f"{_PROGRAM.parent}", "saniwa"),
    ],
)
def test_a_hint_has_the_command_that_works_here(
    tmp_path: Path, program: list[str], path: str, expected: str
) -> None:
    """A hint has the short command name only if the shell would find this program."""
    done = subprocess.run(
        [*program, "gate", "state", "run-none"],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"start a gate here: {expected} gate create-run" in done.stderr
