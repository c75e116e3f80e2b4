"""`python -m benchmarks`: one part alone, an interrupt, and failing peers."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import peers
from benchmarks.__main__ import is_worth_keeping
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.peers import Peer, PeerError

from tests.house.pages import ROOT

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PATIENCE = 120


@pytest.mark.slow
def test_one_part_is_printed_and_nothing_is_written() -> None:
    """`--only` measures one part, and does not change the results file."""
    before = RESULTS.read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", "long_runs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )

    assert "part 1 of 1: long_runs" in done.stderr
    assert "### One run of 10 to 1,000 turns" in done.stdout
    assert before == RESULTS.read_bytes()


@pytest.mark.slow
def test_an_interrupted_run_leaves_the_results_as_they_were() -> None:
    """Ctrl-C ends a run with a message, and does not change the results file."""
    before = RESULTS.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "--only", "long_runs"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        # It prints this when the measurement begins, which would take minutes.
        while "turns" not in run.stderr.readline():
            pass
        run.send_signal(signal.SIGINT)
        said, told = run.communicate(timeout=PATIENCE)

    assert (130, "") == (run.returncode, said)
    assert "stopped; RESULTS.md is as it was" in told
    assert before == RESULTS.read_bytes()


@pytest.mark.parametrize(
    ("quick", "only", "kept"), [(False, None, True), (True, None, False), (False, "tell", False)]
)
def test_only_a_whole_run_in_full_is_kept(quick: bool, only: str | None, kept: bool) -> None:
    """Only a full run of all parts replaces the results."""
    assert kept == is_worth_keeping(quick=quick, only=only)


def test_an_unknown_part_is_refused() -> None:
    """The message for an unknown part names the known ones."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--only", "nothing"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert 2 == done.returncode
    assert "'long_runs'" in done.stderr


def test_a_report_is_the_last_line_that_a_script_prints() -> None:
    """The last line of the output is the report; without one an error says so."""
    assert {"ms": 1} == peers.parse_report('Welcome!\n{"ms": 1}\n')
    with pytest.raises(PeerError, match="no report but 'Welcome!'"):
        peers.parse_report("Welcome!\n")


def _make_ready_peer(folder: Path, script: str) -> Peer:
    """A peer with a finished environment and this script."""
    home = folder / "someone"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to(sys.executable)
    (home / "ready-1").touch()
    walk = folder / "walk.py"
    walk.write_text(script, encoding="utf-8")
    return Peer("someone", "1", str(walk))


def test_a_peer_is_measured_once_and_its_version_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repeated question is not measured again, and the peer's version is recorded."""
    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    script = f"open({str(tmp_path / 'asked')!r}, 'a').write('x')\nprint('{{\"ms\": 2}}')"
    peer, bench = _make_ready_peer(tmp_path, script), BenchmarkRun({})

    assert ({"ms": 2}, {"ms": 2}) == (bench.ask(peer, 5), bench.ask(peer, 5))
    assert "x" == (tmp_path / "asked").read_text(encoding="utf-8")
    assert ({"someone": "1"}, {}) == (bench.facts, bench.absent)


def test_a_peer_that_fails_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of a failing peer is the reason, and the run continues."""
    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    bench = BenchmarkRun({})

    assert bench.ask(_make_ready_peer(tmp_path, "raise SystemExit('it rains')")) is None
    assert {"someone": "python failed: it rains"} == bench.absent


def test_a_reason_names_no_place_and_no_address() -> None:
    """A reason has no path and no address, so that results are the same on every machine."""
    said = f"no file {peers.ENVIRONMENTS}/bink/x; fetch `https://index.example/simple`"

    assert "no file …/bink/x; fetch `…`" == str(PeerError(said))


def test_a_peer_that_cannot_be_installed_is_named_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A peer that cannot be installed is listed with the reason."""
    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    bench = BenchmarkRun({})

    assert bench.ask(Peer("someone", "1", "walk.py", python=(9, 99))) is None
    reason = "it needs python9.99, which this machine does not have"
    assert {"someone": reason} == bench.absent
