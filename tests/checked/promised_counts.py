"""How many schedules the page about proof promises for a meeting."""

from tests.house.pages import ROOT

_PAGE = ROOT / "docs" / "reference" / "testing.md"


def read_promised_count(meeting: str) -> int:
    """The figure in the only row that begins with the name; at least so many must be played."""
    lines = _PAGE.read_text(encoding="utf-8").split("\n")
    (row,) = [line for line in lines if line.startswith(f"| {meeting}")]
    return int(row.split("|")[2].replace(",", ""))
