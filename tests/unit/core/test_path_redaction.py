from pathlib import Path

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.redaction import redact_error, redact_finding

FOLDER = Path("/home/ann/stories/tale")
PLACE = SourceLocation(file=f"{FOLDER}/story.md", line=3)


def test_a_finding_names_files_as_seen_from_their_folder() -> None:
    """Neither its place nor its words say where that folder lies."""
    found = Finding(code="X", message=f"see {FOLDER}/more.md", where=PLACE, hint=f"{FOLDER}/a")
    shown = redact_finding(found, FOLDER)

    assert ("see more.md", "a", "story.md:3") == (shown.message, shown.hint, str(shown.where))


def test_an_error_says_nothing_of_our_terminal() -> None:
    """How to check a file by a command is left out for somebody who has none."""
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
    """The dot that stands for it is not taken out of words."""
    found = Finding(code="X", message="see ./a and ../b")

    assert "see ./a and ../b" == redact_finding(found, Path()).message
