import csv
import io
import re
from pathlib import Path

import pytest

from saniwa.core.text import format_csv_row
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.output.turn_records import EXAMPLE_COLUMNS, LONGEST_TEXT, render_rows
from tests.unit.experiment.output.trials import play_trial, replace_answer, replace_fields

_PAGE = Path(__file__).parents[4] / "docs" / "reference" / "results.md"


def _find_outcome() -> CellOutcome:
    return next(o for o in play_trial()[1] if o.condition == "D" and o.scenario == "house")


def _read_table(outcome: CellOutcome, name: str = "trial") -> list[dict[str, str]]:
    condition = play_trial()[0].plan.conditions[-1]
    table = format_csv_row(EXAMPLE_COLUMNS).encode() + b"".join(
        render_rows(name, condition, outcome)
    )
    return list(csv.DictReader(io.StringIO(table.decode(), newline=""), strict=True))


def test_every_turn_is_a_row_with_every_column() -> None:
    """Each turn is one row, and each row has every column."""
    rows = _read_table(_find_outcome())
    assert 3 == len(rows)
    assert all(list(EXAMPLE_COLUMNS) == list(row) and None not in row.values() for row in rows)


def test_a_row_shows_what_was_refused_and_what_counted() -> None:
    """The columns include the first answer, the refusal, the rule and the final answer."""
    row = _read_table(_find_outcome())[0]
    expected = {
        "first_intents": "GET beans; ASK",
        "final_intents": "GET cup; SAY",
        "first_try_valid": "false",
        "final_valid": "true",
        "first_deny_codes": "MISSING_OBJECT",
        "final_deny_codes": "",
        "blocked_target": "beans",
        "blocked_check": "take.exists",
        "invented": "beans",
        "retries": "1",
        "retry_success": "true",
        "latency_ms": "14",
        "raw_output_path": "artifacts/trial_D_house_0/turn_000_raw_output.txt",
    }
    assert expected == {name: row[name] for name in expected}


@pytest.mark.parametrize(
    "text", ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\t=1", "a,=1", "\r=1", "＝1"]
)
def test_no_text_is_a_formula(text: str) -> None:
    """A spreadsheet does not run model output as a formula."""
    row = _read_table(replace_answer(_find_outcome(), text))[0]
    for cell in (row["speech"], row["raw_output"], row["thought"]):
        assert re.search(r"(?:\A|[,;\t\r\n])[\" ]*[=+\-@＝＋－＠]", cell) is None


def test_names_are_no_formulas_either() -> None:
    """The names of experiments and scenarios are escaped as well."""
    row = _read_table(
        replace_fields(_find_outcome(), scenario="=1+1", key="@key"), "=HYPERLINK(1)"
    )[0]
    assert ["'=HYPERLINK(1)", "'@key", "'=1+1"] == [
        row["experiment_id"],
        row["session_id"],
        row["scenario"],
    ]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\n", "\u2028", "\x85", "\t"])
def test_a_row_is_a_line(end: str) -> None:
    """No character in a field ends the row, whatever a reader takes for a line end."""
    outcome = replace_answer(_find_outcome(), f"a{end}b")
    condition = play_trial()[0].plan.conditions[-1]
    assert "a b" == _read_table(outcome)[0]["speech"]
    for line in render_rows("trial", condition, outcome):
        assert 1 == len(line.decode().splitlines())
        assert line.endswith(b"\r\n")


@pytest.mark.parametrize("text", ['a"b', '"', "a,b", "a;b", "豆、\u3000茶"])
def test_quotes_and_commas_are_read_back(text: str) -> None:
    """Fields are quoted where needed."""
    assert text == _read_table(replace_answer(_find_outcome(), text))[0]["speech"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\0\x1bb\ud800", "a\\x00\\x1bb\ufffd"),
        ("a\u202eb\u2066\u200b", "a\\u202eb\\u2066\\u200b"),
        ("👩\u200d🍳", "👩\u200d🍳"),
    ],
)
def test_what_cannot_be_seen_is_shown(text: str, shown: str) -> None:
    """No invisible character can move a cursor, change the text direction or hide."""
    assert shown == _read_table(replace_answer(_find_outcome(), text))[0]["speech"]


def test_long_texts_are_cut_and_their_length_is_reported() -> None:
    """A very long text is cut, so that the table can be opened."""
    row = _read_table(replace_answer(_find_outcome(), "x" * 1_000_000))[0]
    assert (LONGEST_TEXT, "1000000") == (len(row["raw_output"]), row["raw_letters"])


def test_a_cell_without_turns_has_no_row() -> None:
    """A cell that crashed before its first turn adds no rows."""
    assert [] == _read_table(replace_fields(_find_outcome(), passages=()))


def test_the_reference_says_every_column_in_order() -> None:
    """The reference describes every column, in order."""
    part = _PAGE.read_text(encoding="utf-8").split("## examples_index.csv")[1]
    told = re.findall(r"^\| `([a-z_]+)` \|", part.split("\n## ")[0], re.MULTILINE)
    assert list(EXAMPLE_COLUMNS) == told
