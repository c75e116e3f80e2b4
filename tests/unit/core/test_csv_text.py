import csv

import pytest

from saniwa.core.text import LINE_END, escape_formulas, format_csv_row


@pytest.mark.parametrize(
    "cells", [["a", "b"], ["", ""], ["a,b", 'say "hi"'], ["two\nlines", "cr\r"], ["é;\t"]]
)
def test_a_row_is_read_as_it_was_written(cells: list[str]) -> None:
    """Any CSV reader reads the same cells again."""
    row = format_csv_row(cells)

    assert row.endswith(LINE_END)
    assert [cells] == list(csv.reader([row]))


def test_only_what_must_be_is_quoted() -> None:
    """Only cells that need quotes are quoted."""
    assert 'a,"b,c",\r\n' == format_csv_row(["a", "b,c", ""])


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("", ""),
        ("key-1", "key-1"),
        ("a=b", "a=b"),
        ('=HYPERLINK("x")', '\'=HYPERLINK("x")'),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@sum", "'@sum"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("＝1", "'＝1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠1", "'＠1"),
        (" =1", "' =1"),
        ("a.md;=1", "a.md;'=1"),
        ('";""=1', '";\'""=1'),
        ("a,-1", "a,'-1"),
        ("a\n=1", "a\n'=1"),
    ],
)
def test_what_could_be_a_formula_gets_an_apostrophe(cell: str, shown: str) -> None:
    """No cell, and no part that a spreadsheet may split off, begins with a formula."""
    assert shown == escape_formulas(cell)


def test_a_long_cell_is_made_harmless_in_one_pass() -> None:
    """A cell with many separators and quotes is escaped in linear time."""
    cell = ';"' * 200_000 + ";" + '"' * 200_000 + "="

    assert 1 == escape_formulas(cell).count("'")
