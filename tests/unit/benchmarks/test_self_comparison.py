"""Saniwa's own work, compared with its earlier cost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.self.comparison import accept, compare_counts, load_baseline
from benchmarks.self.workloads import COMMANDS, WORKS

from tests.house.pages import ROOT


def test_work_that_needs_too_many_instructions_is_reported() -> None:
    """A tenth more is reported; a hundredth is within the tolerance."""
    now = {"kept": 101, "grown": 110, "cheaper": 50}
    before = {"kept": 100, "grown": 100, "cheaper": 100}

    assert ["grown"] == [each.name for each in compare_counts(now, before) if each.is_regression]


def test_the_largest_increase_comes_first() -> None:
    """The largest increase comes first, and new work last."""
    found = compare_counts({"new": 1, "fine": 100, "bad": 300}, {"fine": 100, "bad": 100})

    assert ["bad", "fine", "new"] == [each.name for each in found]


def test_accepted_counts_become_the_baseline(tmp_path: Path) -> None:
    """Each Python version has its own baseline, and one piece of work can be accepted alone."""
    place = tmp_path / "baseline.json"

    accept("3.11", {"a": 1, "b": 2}, place)
    accept("3.11", {"b": 3}, place)

    assert {"a": 1, "b": 3} == load_baseline("3.11", place)
    assert load_baseline("3.12", place) is None


def test_every_piece_of_work_has_been_counted() -> None:
    """The baselines have exactly the pieces of work that exist."""
    known = json.loads((ROOT / "benchmarks/self/baseline.json").read_text("utf-8"))

    assert {frozenset([*WORKS, *COMMANDS])} == {frozenset(c) for c in known.values()}


@pytest.mark.parametrize("name", WORKS)
def test_every_piece_of_work_can_be_done_again(name: str, tmp_path: Path) -> None:
    """Each piece of work can be repeated."""
    again = WORKS[name].begin(tmp_path)

    again()
    again()


def test_missing_valgrind_is_an_error() -> None:
    """Without valgrind the exit status is not 0, and the message says how to install it."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.self", "--only", "saniwa --help"],
        env={"PATH": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (3, "") == (done.returncode, done.stdout)
    assert "apt-get install valgrind" in done.stderr
