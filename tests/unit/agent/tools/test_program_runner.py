import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from saniwa.agent.tools.program_runner import ProgramResult, run_program, select_variables
from tests.fakes.processes import end_with_test


def _run(script: str, folder: Path, **options: object) -> ProgramResult:
    limits: dict[str, object] = {"time_limit": 10.0, "output_limit": 20} | options
    command = ["sh", "-c", script]
    return run_program(command, folder, select_variables(["PATH"]), **limits)  # type: ignore[arg-type]


def test_the_end_of_the_output_is_kept_and_all_of_it_is_hashed(tmp_path: Path) -> None:
    """By default the end of the output is kept, with the hash of all of it."""
    found = _run("seq 1 100", tmp_path)

    assert (b"94\n95\n96\n97\n98\n99\n100\n"[-20:], 292) == (found.output, found.size)
    assert found.hash != _run("seq 1 99", tmp_path).hash


def test_the_beginning_of_the_output_can_be_kept(tmp_path: Path) -> None:
    """The beginning of the output can be kept instead."""
    assert b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10" == _run("seq 1 100", tmp_path, keep="beginning").output


def test_a_cancelled_program_ends_with_everything_it_started(tmp_path: Path) -> None:
    """Cancelling a program ends it with its child processes at once."""
    began = time.monotonic()

    found = _run("sleep 60 & sleep 60", tmp_path, is_cancelled=lambda: True)

    assert (True, -9) == (found.is_stopped, found.exit_code)
    assert time.monotonic() - began < 30


def test_a_program_gets_only_the_variables_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program gets only the listed environment variables."""
    monkeypatch.setenv("SANIWA_SECRET", "1234")

    assert {"PATH": os.environ["PATH"]} == select_variables(["PATH", "SANIWA_UNSET"])
    assert b"-\n" == _run("echo ${SANIWA_SECRET:--}", tmp_path).output


def test_a_program_ends_with_the_process_that_runs_it(tmp_path: Path) -> None:
    """If the process is killed with -9, its program ends with all child processes."""
    os.mkfifo(tmp_path / "held")
    script = "exec 3>held; echo $$ >&3; sleep 600 & sleep 600"
    begin = f"run_program(['sh', '-c', {script!r}], Path(), {{'PATH': os.defpath}}, "
    begin += "time_limit=600, output_limit=20)"
    lines = ["import os", "from pathlib import Path"]
    lines += ["from saniwa.agent.tools.program_runner import run_program", begin]
    words = [sys.executable, "-c", "\n".join(lines)]
    owner = end_with_test(subprocess.Popen(words, cwd=tmp_path))
    with (tmp_path / "held").open("rb", buffering=0) as held:
        group = int(held.readline())
        owner.kill()
        try:
            # The pipe ends when no process has it open.
            assert select.select([held], [], [], 100)[0]
            assert b"" == held.read()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
