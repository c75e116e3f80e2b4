from saniwa.core.findings import SourceLocation
from saniwa.core.redaction import PathRedactor


def test_a_file_goes_by_its_name_wherever_it_is_spoken_of() -> None:
    """In words, hints and findings; what is no file of the error stays as it is."""
    story, part = "/srv/garden/tale.md", "/srv/garden/tale.md.csv"
    details = {"findings": [{"file": part, "hint": f"open {part}", "line": 3}]}
    told = PathRedactor(SourceLocation(file=story, line=3), details)

    assert "tale.md:3" == told.redact_location(SourceLocation(file=story, line=3))
    assert "check tale.md and tale.md.csv" == told.redact_text(f"check {story} and {part}")
    assert "ask /api/v1/runs" == told.redact_text("ask /api/v1/runs")
    assert {
        "findings": [{"file": "tale.md.csv", "hint": "open tale.md.csv", "line": 3}]
    } == told.redact_values(details)


def test_what_names_no_place_is_told_as_it_is() -> None:
    """Odd values are nothing to trip over."""
    told = PathRedactor(None, {"file": "/", "findings": 3})

    assert ("", "a/b") == (told.redact_location(None), told.redact_text("a/b"))
    assert {"file": "/", "findings": 3} == told.redact_values({"file": "/", "findings": 3})
