"""Rows of the benchmark tables: figures, ratios, marks and unanswered questions."""

import pytest
from benchmarks.peer_questions import QUESTIONS, PeerRow
from benchmarks.row import (
    UNEXPLAINED,
    GrowthTable,
    ResultRow,
    describe_ratio,
    format_duration,
    list_unanswered,
    render_markdown,
    render_table,
)


@pytest.mark.parametrize(
    ("ms", "told"),
    [(1500.0, "1.5 s"), (12.34, "12.3 ms"), (0.0126, "12.6 µs"), (0.0000176, "17.6 ns")],
)
def test_a_time_is_reported_in_the_unit_that_suits_it(ms: float, told: str) -> None:
    """A time has three digits and a unit from nanoseconds to seconds."""
    assert told == format_duration(ms)


@pytest.mark.parametrize(
    ("ratio", "unit", "told"),
    [
        (0.5, "", "2× faster"),
        (1.5, "", "1.5× slower"),
        (0.001, "", "1,000× faster"),
        (0.25, "MB", "4× less"),
        (4.0, "MB", "4× more"),
        (1.0001, "", "the same"),
        (0.9999, "MB", "the same"),
    ],
)
def test_a_ratio_says_who_is_ahead(ratio: float, unit: str, told: str) -> None:
    """A time is faster or slower; a figure with a unit is less or more."""
    assert told == describe_ratio(ratio, unit)


def test_a_row_is_reported_in_the_order_of_the_headings() -> None:
    """The cells are in the order of the headings, from the question to the verdict."""
    row = ResultRow(
        work="play",
        ours=1.0,
        peer="Somebody",
        theirs=3.0,
        mark="under 2 ms",
        met=True,
        asks=PeerRow.TURN,
    )

    cells = ("turn", "play", "1 ms", "Somebody", "3 ms", "3× faster", "under 2 ms")
    assert (*cells, "yes") == row.list_cells()


def test_a_row_without_a_peer_has_no_ratio() -> None:
    """A peer that could not be measured has a dash, and the row has no ratio."""
    row = ResultRow(work="play", ours=1.0, peer="Absent")

    assert ("—", "play", "1 ms", "Absent", "—", "—", "—", "—") == row.list_cells()
    assert row.ratio is None


def test_nothing_is_divided_by_nothing() -> None:
    """A figure of zero on either side gives no ratio."""
    assert ResultRow(work="x", ours=5, theirs=0.0, unit="MB").ratio is None
    assert ResultRow(work="x", ours=0.0, theirs=5, unit="MB").ratio is None


def test_a_missed_mark_says_why() -> None:
    """A missed mark has its reason, or says that it is unexplained."""
    row = ResultRow(work="play", ours=3.0, mark="under 2 ms", met=False, why="it is long")
    known = "play: 3 ms; target: under 2 ms. Why: it is long."

    assert known == row.explain_miss()
    bare = ResultRow(work="play", ours=3.0, peer="Ben", mark="under 2 ms", met=False)
    assert (
        f"play: 3 ms, compared with Ben; target: under 2 ms. Why: {UNEXPLAINED}."
        == bare.explain_miss()
    )


def test_columns_line_up() -> None:
    """The columns of a table are aligned."""
    lines = render_markdown(("a", "long heading"), [("1", "x"), ("1,000", "y")]).split("\n")

    assert 1 == len({len(line) for line in lines})
    assert "| 1,000 | y            |" == lines[3]


def test_a_note_is_reported_once() -> None:
    """Rows of the same work share a note."""
    row = ResultRow(work="play", ours=1.0, note="on one core.")

    assert 1 == render_table([row, row]).count("- *play*: on one core.")


def test_growth_has_a_title_and_a_note() -> None:
    """A table of growth has a title and a note."""
    growth = GrowthTable(title="Turns", headings=("n", "ms"), lines=[("10", "1")], note="So.")

    told = growth.render_markdown()
    assert told.startswith("### Turns\n\n| n ")
    assert told.endswith("\n\nSo.")


def _make_rows() -> list[ResultRow]:
    return [
        ResultRow(work="x", ours=1.0, peer=f"{name}, as it is", asks=asked)
        for asked, question in QUESTIONS.items()
        for name in question.beside
    ]


def test_a_question_is_answered_next_to_each_of_its_peers() -> None:
    """Each question must have a row for each of its peers, or it is listed as unanswered."""
    rows = _make_rows()
    without = [row for row in rows if not row.peer.startswith("Burr")]

    assert [] == list_unanswered(rows)
    assert ["durable: not compared with Burr"] == list_unanswered(without)


def test_a_longer_name_is_another_peer() -> None:
    """A row for TextWorldExpress does not count as one for TextWorld."""
    rows = [row for row in _make_rows() if not row.peer.startswith("TextWorld,")]

    assert "admissible: not compared with TextWorld" in list_unanswered(rows)
    assert "admissible: not compared with TextWorldExpress" not in list_unanswered(rows)


def test_an_answer_counts_for_its_own_question_only() -> None:
    """A row answers only its own question."""
    rows = [row for row in _make_rows() if row.asks is not PeerRow.PACKAGES]

    assert 4 == len(list_unanswered(rows))
