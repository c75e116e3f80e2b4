"""The benchmark results are complete, and other pages claim nothing else."""

import re

from benchmarks.peer_questions import QUESTIONS, PeerRow

from tests.house.pages import ROOT

_RESULTS = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
_GROWTH = ("entities", "turns", "rows", "lines", "runs")


def _list_rows(page: str) -> list[tuple[str, ...]]:
    """The cells of every line of every table, including headings and rules."""
    lines = [line for line in page.split("\n") if line.startswith("|")]
    return [tuple(cell.strip() for cell in line[1:-1].split("|")) for line in lines]


def test_every_row_of_the_table_of_peers_is_answered_in_the_results() -> None:
    """The results have a row for every question of the table of peers."""
    answered = {cell for row in _list_rows(_RESULTS) for cell in row}

    assert set() == {str(asked) for asked in PeerRow} - answered


def test_every_peer_is_in_the_results() -> None:
    """The results name every peer, with figures or the reason why there are none."""
    absent = [
        name for question in QUESTIONS.values() for name in question.beside if name not in _RESULTS
    ]

    assert [] == absent


def test_the_results_show_how_everything_grows() -> None:
    """The results show growth in entities, turns, rows, lines and runs, up to 100,000."""
    _, _, growth = _RESULTS.partition("## Growth")
    first = {row[0] for row in _list_rows(growth)}

    assert set() == set(_GROWTH) - first
    assert {"10", "100", "1,000", "10,000", "100,000"} <= first


def test_a_missed_mark_is_reported_with_its_reason() -> None:
    """Every missed mark in the results has its reason."""
    _, _, missed = _RESULTS.partition("## Targets missed")
    told = [line for line in missed.split("\n") if line.startswith("- ")]

    assert _RESULTS.count("**NO**") == len(told)
    assert [] == [line for line in told if "no standing reason" in line]


def test_figures_in_the_tour_are_those_of_the_results() -> None:
    """Every row of the tour's table is in the results, word for word."""
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    _, _, section = tour.partition("## Benchmarks")
    claimed = _list_rows(section.partition("\n## ")[0])[2:]
    known = {row[1:6] for row in _list_rows(_RESULTS)}
    found = re.search(r"Measured on (\S+),", _RESULTS)

    assert claimed
    assert [] == [row for row in claimed if row not in known]
    assert found is not None
    assert found[1] in section
