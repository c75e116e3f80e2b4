from typing import Any

import pytest

from saniwa.app.operations.authoring import MAX_MARKS, build_marks
from saniwa.core.findings import Finding, SourceLocation

TEXT = "name: hut\nexits: [yrad, yard]\n"


def _make_finding(line: int, column: int, file: str = "", **more: Any) -> Finding:
    where = SourceLocation(file=file, line=line, column=column)
    return Finding(**{"code": "X", "message": "odd", "where": where, **more})


@pytest.mark.parametrize(
    ("line", "column", "end"),
    [(1, 7, 10), (2, 9, 13), (2, 8, 9), (1, 0, 0), (1, 99, 0), (9, 1, 0), (0, 0, 0)],
)
def test_a_mark_ends_with_its_word(line: int, column: int, end: int) -> None:
    """A mark ends with its word, or else at the end of the line."""
    assert end == build_marks([_make_finding(line, column)], TEXT, "")[0].end


def test_a_suggested_name_becomes_a_rewrite() -> None:
    """A suggested name becomes a rewrite only for the exact text of the finding."""
    hint = "did you mean 'yard'?"
    here = _make_finding(2, 9, message="there is no 'yrad'", hint=hint)
    elsewhere = _make_finding(1, 7, message="there is no 'yrad'", hint=hint)
    cures = [each.rewrite for each in build_marks([here, elsewhere], TEXT, "")]

    assert cures[0] is None
    assert cures[1] is not None
    assert ("yard", 4) == (cures[1].text, cures[1].length)


def test_a_finding_of_another_file_names_it_and_cures_nothing() -> None:
    """A finding of another file names it, and has no rewrite."""
    mark = build_marks([_make_finding(2, 9, "b.md", hint="did you mean 'yard'?")], TEXT, "a.md")[0]

    assert ("b.md", 0, None) == (mark.file, mark.end, mark.rewrite)


def test_errors_are_reported_before_there_are_too_many() -> None:
    """If there are too many findings, errors come first."""
    notes = [_make_finding(1, 1, severity="note") for _ in range(MAX_MARKS)]
    found = [*notes, _make_finding(1, 1, severity="error")]
    told = build_marks(found, TEXT, "")

    assert (MAX_MARKS, 1) == (len(told), sum(each.severity == "error" for each in told))
