from pathlib import Path

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.redaction import PathRedactor, redact_error, redact_finding

FOLDER = Path("/home/ann/stories/tale")
PLACE = SourceLocation(file=f"{FOLDER}/story.md", line=3)


def test_a_finding_names_files_as_seen_from_their_folder() -> None:
    """A redacted finding shows paths relative to the folder, in its place and its texts."""
    found = Finding(code="X", message=f"see {FOLDER}/more.md", where=PLACE, hint=f"{FOLDER}/a")
    shown = redact_finding(found, FOLDER)

    assert ("see more.md", "a", "story.md:3") == (shown.message, shown.hint, str(shown.where))


def test_an_error_says_nothing_of_our_terminal() -> None:
    """A redacted error has no hint about a terminal command, and no paths."""
    told = ScriptError(
        "X",
        f"{FOLDER}/story.md is odd",
        where=PLACE,
        hint=f"mend it; check it: saniwa check {FOLDER}/story.md",
        details={"findings": [str(FOLDER)]},
    )
    shown = redact_error(told, FOLDER)

    assert (ScriptError, "story.md is odd", "mend it", {}) == (
        type(shown),
        shown.message,
        shown.hint,
        shown.details,
    )


def test_a_folder_that_is_here_is_no_part_of_names() -> None:
    """A dot in a text is not replaced as the path of the current folder."""
    found = Finding(code="X", message="see ./a and ../b")

    assert "see ./a and ../b" == redact_finding(found, Path()).message


def test_a_file_is_named_the_same_everywhere() -> None:
    """Texts, hints and findings show an error's files by name; other paths stay unchanged."""
    story, part = "/srv/garden/tale.md", "/srv/garden/tale.md.csv"
    details = {"findings": [{"file": part, "hint": f"open {part}", "line": 3}]}
    told = PathRedactor(SourceLocation(file=story, line=3), details)

    assert "tale.md:3" == told.redact_location(SourceLocation(file=story, line=3))
    assert "check tale.md and tale.md.csv" == told.redact_text(f"check {story} and {part}")
    assert "ask /api/v1/runs" == told.redact_text("ask /api/v1/runs")
    assert {
        "findings": [{"file": "tale.md.csv", "hint": "open tale.md.csv", "line": 3}]
    } == told.redact_values(details)


def test_what_names_no_place_is_reported_as_it_is() -> None:
    """Values that are not paths stay unchanged."""
    told = PathRedactor(None, {"file": "/", "findings": 3})

    assert ("", "a/b") == (told.redact_location(None), told.redact_text("a/b"))
    assert {"file": "/", "findings": 3} == told.redact_values({"file": "/", "findings": 3})
