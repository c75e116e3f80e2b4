import sys
from pathlib import Path
from threading import Thread
from threading import enumerate as threads

import pytest

from saniwa.cli.servers import open_browser


def _write_opener(folder: Path, script: str) -> None:
    program = folder / "xdg-open"
    program.write_text(f"#!/bin/sh\necho noise; echo noise >&2\n{script}\n")
    program.chmod(0o755)


def _open_and_wait(address: str) -> None:
    before: list[Thread] = threads()
    open_browser(address)
    for each in threads():
        if each not in before:
            each.join(timeout=120)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ('printf "%s" "$1" > "$(dirname "$0")/seen"', ""),
        ("exit 3", "note: no browser could be opened; open the address yourself\n"),
    ],
)
def test_a_page_is_opened_without_noise(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    script: str,
    told: str,
) -> None:
    """The browser's output is hidden, and a missing browser is one line."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    _write_opener(tmp_path, script)
    _open_and_wait("http://localhost:8420/")

    assert ("", told) == capfd.readouterr()
    if not told:
        assert "http://localhost:8420/" == (tmp_path / "seen").read_text()


def test_where_there_is_no_desktop_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without a screen, the address to open is printed."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    _open_and_wait("http://localhost:8420/")

    assert "open the address yourself" in capfd.readouterr().err
