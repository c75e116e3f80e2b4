from saniwa.cli.tally import counts, tallied, tally
from saniwa.core.finding import Finding

ERROR = Finding(code="X", message="x")
WARNING = Finding(code="X", message="x", severity="warning")
NOTE = Finding(code="X", message="x", severity="note")


def test_findings_are_counted_by_their_kind() -> None:
    """In words for people, in numbers for machines."""
    found = [ERROR, NOTE, NOTE]

    assert "1 error, 0 warnings, 2 notes" == tally(found)
    assert {"error_count": 1, "warning_count": 0, "note_count": 2} == tallied(found)


def test_a_strict_check_fails_for_warnings_and_never_for_notes() -> None:
    """What one may live with counts only for who is strict."""
    assert [True, False, False] == [counts(f, False) for f in (ERROR, WARNING, NOTE)]
    assert [True, True, False] == [counts(f, True) for f in (ERROR, WARNING, NOTE)]
