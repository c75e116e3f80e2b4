"""The exit of the command line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.cli.main import main

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


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("play no_such_place", "error[REGISTRY_MISSING]: "),
        ("play --no-such-option", "error: "),
        ("no_such_command", "error: "),
        ("gate state", "error: "),
        ("gate emit run-1 a --expected-revision 1 --key a", "error[RUN_NOT_FOUND]: "),
        ("gate approve last --digest a", "error[RUN_NOT_FOUND]: "),
        ("check no_such_file.yaml", "error: "),
        ("experiment run no_such_plan.yaml", "error[DOCUMENT_UNREADABLE]: "),
        ("replay no_such_run", "error[STORE_UNREADABLE]: "),
    ],
)
def test_every_error_line_has_one_form(
    words: str,
    label: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An error is `error[CODE]: message`, or `error: message` where there is no code."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(words.split())
    told = capsys.readouterr()
    lines = (told.out + told.err).split("\n")
    errors = [line for line in lines if re.match(r"\W*error|\[[A-Z_]+\]", line, re.IGNORECASE)]

    assert [label] == [line[: len(label)] for line in errors]


def test_a_port_without_a_number_is_called_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    """A value that is not a number is reported as no number, not as no range."""
    with pytest.raises(SystemExit):
        main(["serve", "--port", "80a"])

    assert "'80a' is not a valid number." in capsys.readouterr().err
