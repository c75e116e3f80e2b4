import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.processes import end_with_test

_HOST = (sys.executable, "-m", "saniwa", "host", "--stdio")


class HostProcess:
    """A host with `saniwa host --stdio` as its child process."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.child = end_with_test(
            subprocess.Popen(
                [*_HOST, *options],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )

    def send_line(self, line: bytes) -> dict[str, Any]:
        """Send a line; returns the answer."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(line + b"\n")
        self.child.stdin.flush()
        answer: dict[str, Any] = json.loads(self.child.stdout.readline())
        return answer

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        """Send a request; returns the answer."""
        return self.send_line(json.dumps({"op": op, **fields}).encode())

    def close(self) -> bytes:
        """Close the input; returns what was printed to stderr."""
        _, said = self.child.communicate(timeout=120)
        return said


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a story."""
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales/rain.md").write_text(
        "# Rain\n\nRain.\n\nMore rain.\n\n- Go in\n  Dry.\n- Stay\n  Wet.\n\nEnd.\n",
        encoding="utf-8",
    )
    return tmp_path


def _read_text(answer: dict[str, Any]) -> str:
    return str(answer["moment"]["step"]["directives"][0]["args"]["text"])


@pytest.mark.slow
def test_a_conversation_continues_after_the_child_was_killed(project: Path) -> None:
    """After a kill every answered change is there, and a repeated request is not done again."""
    first = HostProcess(project, "--story", "tales/rain.md")
    run = first.ask("begin", key="b")["moment"]["run"]
    assert "More rain." == _read_text(first.ask("step", key="s"))
    os.kill(first.child.pid, signal.SIGKILL)
    first.close()
    second = HostProcess(project, "--story", "tales/rain.md")
    resumed = second.ask("resume")
    again = second.ask("step", key="s", revision=1)

    assert (run, 2) == (resumed["moment"]["run"], resumed["moment"]["revision"])
    assert "More rain." == _read_text(resumed) == _read_text(again)
    assert run == second.ask("begin", key="b")["moment"]["run"]
    assert "Dry." == _read_text(second.ask("choose", index=0, revision=2))
    assert b"" == second.close()
    assert 0 == second.child.returncode


@pytest.mark.slow
def test_the_worst_lines_are_answered_and_the_next_is_too(project: Path) -> None:
    """Invalid bytes, deep nesting and a huge line are errors, and the next line is answered."""
    host = HostProcess(project, "--story", "tales/rain.md", "--store", "memory:")
    codes = [
        host.send_line(line)["error"]["code"]
        for line in (b"", b"\xff\xfe", b"[" * 100_000, b"null", b"x" * (65 << 20))
    ]

    assert ["PROTOCOL_SYNTAX"] * 3 == codes[:3]
    assert ["PROTOCOL_UNKNOWN_OP", "PROTOCOL_LINE_TOO_LONG"] == codes[3:]
    assert "Rain." == _read_text(host.ask("begin"))
    assert b"" == host.close()
    assert 0 == host.child.returncode
    assert not (project / ".saniwa").exists()


def test_a_story_that_is_not_there_is_reported_before_the_first_line(project: Path) -> None:
    """A missing story is reported before the first line, with status 3."""
    host = HostProcess(project, "--story", "tales/none.md")
    said = host.close()

    assert 3 == host.child.returncode
    assert b"STORY_NOT_FOUND" in said
