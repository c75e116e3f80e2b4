from saniwa.cli.render import count_by_severity, format_tally, is_failure
from saniwa.core.findings import Finding

ERROR = Finding(code="X", message="x")
WARNING = Finding(code="X", message="x", severity="warning")
NOTE = Finding(code="X", message="x", severity="note")


def test_findings_are_counted_by_their_kind() -> None:
    """Findings are counted by severity, as a text and as JSON fields."""
    found = [ERROR, NOTE, NOTE]

    assert "1 error, 0 warnings, 2 notes" == format_tally(found)
    assert {"error_count": 1, "warning_count": 0, "note_count": 2} == count_by_severity(found)


def test_a_strict_check_fails_for_warnings_and_never_for_notes() -> None:
    """With --strict warnings fail a check too, and notes never do."""
    assert [True, False, False] == [is_failure(f, False) for f in (ERROR, WARNING, NOTE)]
    assert [True, True, False] == [is_failure(f, True) for f in (ERROR, WARNING, NOTE)]
