import re
from pathlib import Path
from string import Formatter

import pytest

import saniwa.story
from saniwa.core.findings import SourceLocation
from saniwa.story.finding_collector import (
    MOST,
    FindingCollector,
    make_finding,
    make_story_error,
    read_templates,
)


def test_findings_come_in_reading_order() -> None:
    """Findings are sorted by their place."""
    notes = FindingCollector("story.md")
    notes.add("COMMENT_UNCLOSED", 2, 1)
    notes.add("OPTION_UNNAMED", 1, 5)

    assert [("OPTION_UNNAMED", 1, 5), ("COMMENT_UNCLOSED", 2, 1)] == [
        (each.code, each.where.line, each.where.column) for each in notes.list_findings()
    ]


def test_old_notations_are_counted_by_kind() -> None:
    """Each kind of outdated notation is one finding at its first place, with the count."""
    notes = FindingCollector("story.md")
    for line in (3, 5, 8):
        notes.count_old_notation("BRANCH", line, 1)
    notes.count_old_notation("JUMP", 4, 2)

    assert [
        ("warning", "the old notation 'BRANCH' is used 3 times", 3),
        ("note", "'JUMP' is used once; plain Markdown can express it too", 4),
    ] == [(each.severity, each.message, each.where.line) for each in notes.list_findings()]


def test_more_than_a_thousand_are_counted() -> None:
    """After the thousandth finding, a note has the number of the others."""
    notes = FindingCollector("story.md")
    for line in range(MOST + 7):
        notes.add("COMMENT_UNCLOSED", line + 1, 1)
    found = notes.list_findings()

    assert MOST + 1 == len(found)
    assert ("FINDINGS_MANY", "note", "7 more findings are not shown") == (
        found[-1].code,
        found[-1].severity,
        found[-1].message,
    )


def test_columns_are_those_of_the_whole_line() -> None:
    """Columns count what comments removed from the line."""
    notes = FindingCollector("story.md")
    notes.record_cut(1, 4, 10)
    notes.record_cut(1, 8, 3)
    for column in (4, 5, 8, 9):
        notes.add("COMMENT_UNCLOSED", 1, column)

    assert [4, 15, 18, 22] == [each.where.column for each in notes.list_findings()]


def test_the_table_has_the_findings_that_the_source_names() -> None:
    """The table has exactly the findings that the source uses."""
    folder = Path(saniwa.story.__file__).parent
    source = "\n".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    named = set(re.findall(r"\"([A-Z]+(?:_[A-Z]+)+/\w+)\"", source))
    cases = {key: key.rpartition("/")[2] for key in read_templates()}

    assert set() == named - read_templates().keys()
    assert [] == [k for k, case in cases.items() if not re.search(rf"[\"'/]{case}[\"']", source)]


@pytest.mark.parametrize("key", sorted(read_templates()))
def test_the_words_of_a_finding_can_be_filled_in(key: str) -> None:
    """A message is not empty, and its placeholders have names."""
    template = read_templates()[key]
    parts = [*Formatter().parse(template.message), *Formatter().parse(template.hint)]

    assert template.message
    assert all(name is None or name.isidentifier() for _, name, _, _ in parts)


def test_a_similar_name_takes_the_place_of_the_hint() -> None:
    """A similar name replaces the hint, and details fill the placeholders."""
    finding = make_finding("LABEL_UNRESOLVED", SourceLocation(), {"label": "hal"}, near="hall")
    error = make_story_error("LABEL_UNRESOLVED/start", None, {"label": "hal"}, near="hall")

    assert "there is no label 'hal'" == finding.message
    assert "did you mean 'hall'?" == finding.hint == error.hint
    assert ("warning", {"label": "hal"}) == (finding.severity, finding.details)
