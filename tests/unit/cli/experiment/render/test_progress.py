import sys

import pytest

from saniwa.cli.experiment.render import ExperimentProgress, format_duration
from saniwa.core.clock import FixedClock
from saniwa.experiment.ports import CellCompletion


def _make_completion(number: int, error: str = "") -> CellCompletion:
    return CellCompletion(
        key=f"k{number}", started=0, took_ms=1, worker="", error=error, message="why"
    )


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_a_stretch_of_time(seconds: float, expected: str) -> None:
    """A duration is in readable units, and at least one second."""
    assert expected == format_duration(seconds)


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets few lines on standard error, with the time left and a last line at the end."""
    progress = ExperimentProgress(10, 2, quiet=False, clock=FixedClock(tick=1000))
    for number in range(8):
        progress.record_cell(_make_completion(number))
    progress.finish()
    told = capsys.readouterr()

    lines = told.err.strip().split("\n")
    assert "" == told.out
    assert "4/10 cells, 1.0 a second, 6 s left" == lines[0]
    assert "10/10 cells, 1.0 a second" == lines[-1]
    assert len(lines) < 8


def test_a_terminal_gets_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gets one line, redrawn in place."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = ExperimentProgress(2, 0, quiet=False, clock=FixedClock(tick=1000))
    progress.record_cell(_make_completion(0))
    progress.record_cell(_make_completion(1))
    progress.finish()
    told = capsys.readouterr().err

    assert 2 == told.count("\r")
    assert "█" * 15 + "░" * 15 in told
    assert "█" * 30 in told
    assert told.endswith("\n")


def test_cells_that_failed_are_reported_and_not_without_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first few failed cells are listed with code and reason, and do not count as done."""
    progress = ExperimentProgress(100, 0, quiet=False, clock=FixedClock(tick=0))
    for number in range(20):
        progress.record_cell(_make_completion(number, "BRIDGE_CONNECTION"))
    told = capsys.readouterr().err

    assert (0, 20) == (progress.done, progress.failed)
    assert 5 == told.count("error[BRIDGE_CONNECTION]: ")
    assert 5 == told.count(": why; it can be resumed")


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """With --quiet nothing is printed."""
    progress = ExperimentProgress(1, 0, quiet=True, clock=FixedClock())
    progress.record_cell(_make_completion(0))
    progress.finish()

    assert ("", "") == capsys.readouterr()


def test_a_slow_first_cell_is_not_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal shows the bar before the first cell is done, and a pipe nothing."""
    ExperimentProgress(2, 0, quiet=False, clock=FixedClock(tick=5000)).tick()
    assert "" == capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = ExperimentProgress(2, 0, quiet=False, clock=FixedClock(tick=5000))
    progress.tick()
    progress.finish()

    assert "0/2 cells, 5 s" in capsys.readouterr().err
