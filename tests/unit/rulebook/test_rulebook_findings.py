import pytest

from saniwa.core.errors import RulebookError
from saniwa.core.findings import SourceLocation
from saniwa.rulebook.finding_collector import RulebookFindings, locate_by_path


def test_a_path_is_written_as_people_write_it() -> None:
    """Keys of a path are joined by dots, and positions are in brackets."""
    path = ("rules", 0, "checks", 2, "condition")

    assert SourceLocation(path="rules[0].checks[2].condition") == locate_by_path(path)


def test_a_near_name_is_offered() -> None:
    """A finding about a typo suggests the nearest name."""
    notes = RulebookFindings()
    notes.add_unknown("RULE_UNKNOWN_ROLE", ("role",), "targat", ["actor", "target"])

    assert "did you mean 'target'?" == notes.findings[0].hint
    assert "there is no role called 'targat'" == notes.findings[0].message


def test_what_exists_is_listed_where_nothing_is_near() -> None:
    """If no name is near, the hint lists the known ones, shortened if there are many."""
    notes = RulebookFindings()
    notes.add_unknown("RULE_UNKNOWN_ROLE", (), "zzz", ["actor", "target"])
    notes.add_unknown("RULE_UNKNOWN_ROLE", (), "zzz", [f"role{i:02}" for i in range(20)])
    notes.add_unknown("RULE_UNKNOWN_PLUGIN", (), "zzz", [])
    hints = [finding.hint for finding in notes.findings]

    assert "known: actor, target" == hints[0]
    assert hints[1].endswith("role11, …")
    assert "" == hints[2]


def test_all_findings_travel_with_one_error() -> None:
    """The error has the code and place of the first finding, and carries the others."""
    notes = RulebookFindings(lambda path: SourceLocation(file="a.yaml", line=len(path)))
    notes.add_malformed(("a", "b"), "second")
    notes.add_duplicate(("a",), "first", "remove one")
    with pytest.raises(RulebookError) as caught:
        notes.raise_if_any()

    assert ("RULE_DUPLICATE", "first", "remove one") == (
        caught.value.code,
        caught.value.message,
        caught.value.hint,
    )
    assert ["first", "second"] == [f["message"] for f in caught.value.details["findings"]]


def test_an_empty_report_raises_nothing() -> None:
    """Without findings there is no error."""
    notes = RulebookFindings()
    notes.raise_if_any()

    assert () == notes.build_report().findings
