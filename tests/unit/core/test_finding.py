from saniwa.core.findings import Finding, Report, SourceLocation


def _make_finding(line: int, severity: str = "error") -> Finding:
    where = SourceLocation(file="a.json", line=line, column=1)
    return Finding(code="X", severity=severity, message=f"line {line}", where=where)  # type: ignore[arg-type]


def test_a_report_is_in_reading_order() -> None:
    """Findings are sorted by their place in the file."""
    report = Report.from_findings([_make_finding(9), _make_finding(2), _make_finding(4)])

    assert [2, 4, 9] == [f.where.line for f in report.findings]


def test_only_errors_keep_a_file_from_being_used() -> None:
    """Warnings and notes do not fail a report."""
    assert Report.from_findings([_make_finding(1, "warning"), _make_finding(2, "note")]).has_passed
    assert not Report.from_findings([_make_finding(1, "warning"), _make_finding(2)]).has_passed


def test_a_finding_shows_place_and_hint() -> None:
    """The printed form has the code, the place and the hint."""
    finding = Finding(code="X", message="no", where=SourceLocation(file="f", line=2), hint="do")

    assert "[X] no\n  at f:2\n  hint: do" == str(finding)


def test_findings_without_a_place_stay_in_the_order_they_were_found() -> None:
    """Findings without a place keep their order."""
    found = [Finding(code=c, message="m") for c in ("B", "A", "C")]

    assert ["B", "A", "C"] == [f.code for f in Report.from_findings(found).findings]
    assert "[B] m" == str(found[0])


def test_warnings_are_what_one_may_live_with() -> None:
    """Errors and warnings are listed separately."""
    report = Report.from_findings([_make_finding(1, "warning"), _make_finding(2)])

    assert [1] == [f.where.line for f in report.warnings]
    assert [2] == [f.where.line for f in report.errors]
