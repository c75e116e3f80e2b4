"""The columns of exported tables and the page about them are one list."""

import re

from saniwa.integrations.table_export import CELL_COLUMNS
from tests.house.pages import ROOT


def test_every_count_of_a_cell_is_explained() -> None:
    """The page explains each `n_` column of the table, in the same order."""
    page = (ROOT / "docs" / "guide" / "researchers.md").read_text(encoding="utf-8")
    counts = [each.name for each in CELL_COLUMNS if each.name.startswith("n_")]

    assert counts == re.findall(r"^\| `(n_\w+)` \| \w", page, re.MULTILINE)
