"""The page of results, and what it must always show."""

import json

from benchmarks.page import BenchmarkResult
from benchmarks.row import GrowthTable, ResultRow

MISSED = ResultRow(work="keep", ours=3.0, mark="under 2 ms", met=False, why="the disk waits")
MET = ResultRow(work="play", ours=1.0, mark="under 2 ms", met=True)


def _make_result(*rows: ResultRow, whole: bool = False, **more: dict[str, str]) -> BenchmarkResult:
    growth = GrowthTable(title="Turns", headings=("n", "ms"), lines=[("10", "1")], note="So.")
    return BenchmarkResult(
        date="2026-11-15",
        machine={"system": "Linux"},
        rows=list(rows),
        growth=[growth],
        absent=more.get("absent", {}),
        whole=whole,
    )


def test_a_missed_mark_is_in_plain_sight_with_its_reason() -> None:
    """A missed mark is in the table, and again under its own heading with the reason."""
    page = _make_result(MISSED, MET).render_page()

    assert "| **NO** |" in page
    assert "- keep: 3 ms; target: under 2 ms. Why: the disk waits." in page
    assert "- play" not in page


def test_a_page_without_a_missed_mark_says_so() -> None:
    """A page without missed marks says so."""
    assert "## Targets missed\n\nNone.\n" in _make_result(MET).render_page()


def test_a_peer_that_could_not_be_had_is_named_with_the_reason() -> None:
    """A peer that could not be measured is listed with the reason."""
    page = _make_result(MET, absent={"bink": "uv failed: no network"}).render_page()

    assert "## Tools that could not be installed\n\n- bink: uv failed: no network" in page


def test_a_whole_run_says_what_it_left_unanswered() -> None:
    """A full run lists questions without a row; a partial run does not."""
    assert "## Not measured\n\n- one action" in _make_result(MET, whole=True).render_page()
    assert "Asked and not answered" not in _make_result(MET).render_page()


def test_a_part_is_not_reported_as_the_whole() -> None:
    """The page says whether it was measured in one full run or in part."""
    assert "by `make bench`, all in one run" in _make_result(whole=True).render_page()
    assert "Measured on 2026-11-15, in part." in _make_result().render_page()


def test_machines_read_the_same_as_people() -> None:
    """The JSON document has the rows with their ratios, the growth and the absent peers."""
    row = ResultRow(work="play", ours=1.0, theirs=4.0, peer="Ben")
    document = json.loads(json.dumps(_make_result(row).to_document()))

    assert 0.25 == document["rows"][0]["ratio"]
    assert [["10", "1"]] == document["growth"][0]["lines"]
    assert {} == document["absent"]
