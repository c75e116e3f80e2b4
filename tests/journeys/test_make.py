"""The make targets for a new user, in the checkout itself."""

import os
import re
import signal
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.house.pages import ROOT
from tests.journeys.terminal import Terminal


def _make_environment(store: Path, **variables: str) -> dict[str, str]:
    ours = ("LANGUAGE", "MAKEFLAGS", "PORT", "ARGS")
    plain = {k: v for k, v in os.environ.items() if k not in ours}
    return plain | {"SANIWA_STORE": str(store), "LANG": "C.UTF-8"} | variables


def _make(target: str, store: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=ROOT,
        env=_make_environment(store, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("variables", "first", "last"),
    [
        ({}, "Front Garden", "The letter was right: it is yours."),
        ({"LANGUAGE": "ja"}, "前庭", "ここはもうあなたのものだ。"),
    ],
    ids=["en", "ja"],
)
def test_make_play_shows_the_story_and_does_so_again_at_once(
    variables: dict[str, str], first: str, last: str, tmp_path: Path
) -> None:
    """Without a terminal, `make play` plays the scenario to its end, any number of times."""
    store = tmp_path / "runs.sqlite"

    one, two = (_make("play", store, **variables) for _ in range(2))

    assert (0, 0) == (one.returncode, two.returncode), one.stderr + two.stderr
    assert first in one.stdout
    assert last in one.stdout
    assert _drop_run_line(one.stdout) == _drop_run_line(two.stdout)
    assert "" == two.stderr


def _drop_run_line(shown: str) -> list[str]:
    """The output without the line that names the run."""
    return [line for line in shown.split("\n") if "run-" not in line]


def test_make_play_ends_without_an_error_after_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C, the last thing shown is how to continue, without an error of make."""
    monkeypatch.setenv("SANIWA_STORE", str(tmp_path / "runs.sqlite"))
    with Terminal("play", folder=ROOT, program=("make", "--no-print-directory")) as table:
        table.read_shown()
        table.interrupt()
        shown = table.read_shown()

    assert "play --resume last" in shown
    assert "Error" not in shown


def test_make_run_opens_the_page(tmp_path: Path) -> None:
    """`make run` prints the address of the server, and the page is there."""
    store = tmp_path / "runs.sqlite"
    # A separate group, so that Ctrl-C reaches the server as it does in a terminal.
    running = subprocess.Popen(
        ["make", "--no-print-directory", "run"],
        cwd=ROOT,
        env=_make_environment(store, PORT="0", ARGS="--no-open"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert running.stdout is not None
        said = running.stdout.readline()
        (address,) = re.findall(r"http://localhost:\d+/", said)
        with urlopen(address) as answer:
            page = answer.read().decode()
    finally:
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=120)

    assert '<div id="page">' in page


def test_make_help_lists_every_target(tmp_path: Path) -> None:
    """`make help` lists every target with a line of help."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)

    told = _make("help", tmp_path / "runs.sqlite").stdout

    assert targets == [line.split()[1] for line in told.split("\n") if line]
