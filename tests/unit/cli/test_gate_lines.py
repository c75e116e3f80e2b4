import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.cli.gate.events import show_review
from saniwa.cli.gate.output import (
    MAX_VALUE_CHARS,
    MAX_VALUE_LINES,
    format_name,
    format_value,
    list_value_lines,
)
from saniwa.cli.render import to_one_line
from saniwa.process.review import Review, ReviewedArtifact

_FORGED = "a\n  digest    0000"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_whatever_others_wrote_stays_on_its_line(text: str) -> None:
    """A foreign text cannot end its line or move the cursor."""
    for shown in (
        to_one_line(text),
        format_value(text),
        format_name(text),
        format_value({text: [text]}),
    ):
        assert shown.isprintable()


def test_a_long_value_is_cut() -> None:
    """A value is cut at a maximum length, with an ellipsis."""
    assert MAX_VALUE_CHARS == len(format_value("x" * 900))
    assert format_value("x" * 900).endswith("x…")


def test_a_value_has_a_line_for_each_field_item_and_line() -> None:
    """Fields, items and lines of text are lines of their own; a text like a number is quoted."""
    said = {"found": ["a", {"b": "3", "c": 3}], "a b": "one\ntwo: 2\n", "none": [], "empty": ""}

    assert [
        *("found:", "  - a", "  -", '    b: "3"', "    c: 3"),
        *('"a b": |', "  one", "  two: 2", "none: []", 'empty: ""'),
    ] == list_value_lines(said)[0]
    assert (["3.5"], False) == list_value_lines(3.5)
    assert (["first", "", "last"], False) == list_value_lines("first\n\nlast\n")


def test_a_large_value_is_cut() -> None:
    """Of a value with many lines the first are kept, and each is cut at the maximum length."""
    deep: object = "end"
    for _ in range(200):
        deep = [deep]

    kept, is_cut = list_value_lines(list(range(99)))
    assert (MAX_VALUE_LINES, True) == (len(kept), is_cut)
    assert [MAX_VALUE_CHARS] == [len(line) for line in list_value_lines("x" * 900)[0]]
    assert MAX_VALUE_LINES > len(list_value_lines(deep)[0])


def test_only_what_looks_like_a_name_is_shown_as_one() -> None:
    """A name with spaces or signs is quoted."""
    assert ["team_mode", "観察", '"a b"', r'"a\nb"', '""'] == [
        format_name(name) for name in ("team_mode", "観察", "a b", "a\nb", "")
    ]


def test_no_name_forges_a_line_of_a_review(capsys: pytest.CaptureFixture[str]) -> None:
    """Names, paths and people cannot forge a digest line in a review."""
    piece = ReviewedArtifact(
        type=_FORGED,
        place=_FORGED,
        hash="0" * 64,
        size=1,
        created_by=f"agent:{_FORGED}",
        made_by="agent",
        checked=_FORGED,
        content=_FORGED,
        file=_FORGED,
        fault=_FORGED,
    )
    shown = Review(
        run_id=_FORGED,
        process_id=_FORGED,
        state=_FORGED,
        revision=1,
        decisions=(_FORGED,),
        context={_FORGED: _FORGED},
        evidence=(piece,),
        digest="1" * 64,
    )
    show_review(shown, ())
    lines = capsys.readouterr().out.split("\n")

    assert [f"  digest    {'1' * 64}"] == [line for line in lines if line.startswith("  digest")]
