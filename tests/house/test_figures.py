"""Every published speed was measured: in the results, or when a decision was made."""

import re
from pathlib import Path

from tests.house.pages import ROOT, list_pages

_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_TIME = r"(?:µs|ms|microseconds?|milliseconds?)"
_SPEED = re.compile(
    rf"\b(?:\d[\d,.–-]*|few|a|of a) ?{_TIME}\b"
    r"|\d a second\b|\d× ?(?:faster|slower|more|less)\b"
    r"|\d times (?:faster|slower|as fast|as slow)\b"
    r"|\d ?(?:ミリ秒|マイクロ秒)|\d ?倍"
)
_DATED = re.compile(r"[Mm]easured when this was decided, \d{4}-\d\d-\d\d\b")
_RESULTS = ROOT / "benchmarks" / "RESULTS.md"


def _read_prose(page: Path) -> list[str]:
    """The lines of a page outside fenced blocks, without inline code."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`", "", text).split("\n")


def _split_cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))


def _find_speeds(page: Path) -> list[str]:
    return [line for line in _read_prose(page) if _SPEED.search(line)]


def test_pages_for_users_tell_no_speed_but_those_of_the_results() -> None:
    """Pages for users have no figures of speed except those in the results."""
    ceilings = ROOT / "docs" / "reference" / "limits.md"
    measured = {cells[1:6] for cells in map(_split_cells, _read_prose(_RESULTS))}
    claims = [
        (page.name, line)
        for page in list_pages()
        if page != ceilings and page.parent.name != "decisions"
        for line in _find_speeds(page)
    ]

    assert [] == [each for each in claims if _split_cells(each[1]) not in measured]


def test_a_decision_with_speeds_says_when_they_were_measured() -> None:
    """A decision with figures of speed has the date of their measurement."""
    folder = ROOT / "docs" / "decisions"
    undated = [
        page.name
        for page in folder.glob("*.md")
        if _find_speeds(page) and not _DATED.search(page.read_text(encoding="utf-8"))
    ]

    assert [] == undated
