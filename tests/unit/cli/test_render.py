from time import process_time

import pytest

from saniwa.cli.render import show_error, show_finding
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import escape_control_characters


def test_a_finding_points_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """The line is quoted with a caret under the column, and wide characters count as two."""
    where = SourceLocation(file="a.yaml", line=2, column=3)
    finding = Finding(code="X", message="no", where=where, hint="do")

    show_finding(finding, "one\n庭: 家屋\n")

    shown = capsys.readouterr().out.split("\n")
    assert "error[X]: no" == shown[0]
    assert "     2 | 庭: 家屋" == shown[2]
    assert "       |    ^" == shown[3]
    assert "  hint: do" == shown[4]


def test_no_author_moves_the_cursor() -> None:
    """Control and direction characters are shown escaped."""
    assert r"\x1b[2J\x07\u202e\r庭" == escape_control_characters("\x1b[2J\x07\u202e\r庭")


@pytest.mark.parametrize(("recoverable", "code"), [(False, 3), (True, 4)])
def test_an_error_has_its_exit_code(recoverable: bool, code: int) -> None:
    """A recoverable error has exit status 4, any other 3."""
    error = SaniwaError("X", "no", recoverable=recoverable)

    assert code == show_error(error, as_json=False)


def test_machines_get_the_error_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the error is printed to standard output as JSON."""
    show_error(SaniwaError("X", "no"), as_json=True)

    told = capsys.readouterr().out
    assert told.startswith('{"ok":false,"error":{"code":"X"')
    assert told.endswith(',"success":false}\n')


def _show_pointed(line: str, column: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    where = SourceLocation(file="a.md", line=1, column=column)
    show_finding(Finding(code="X", message="no", where=where), line)
    return capsys.readouterr().out.split("\n")[2:4]


def test_a_long_line_is_quoted_around_its_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a long line, the part around the column is quoted."""
    text, caret = _show_pointed("a" * 5_000 + "X" + "b" * 5_000, 5_001, capsys)

    assert "X" == text[caret.index("^")]
    assert text.startswith("     1 | …aaa")
    assert text.endswith("bbb…")
    assert 180 > len(text)


def test_a_long_line_is_quoted_to_its_very_end(capsys: pytest.CaptureFixture[str]) -> None:
    """A position after the last character has a caret too."""
    text, caret = _show_pointed("a" * 5_000, 5_001, capsys)

    assert len(text) == caret.index("^")
    assert text.endswith("aaa")


def test_what_is_made_visible_does_not_shift_the_caret(capsys: pytest.CaptureFixture[str]) -> None:
    """The caret counts tabs, control and zero-width characters as they are shown."""
    text, caret = _show_pointed("\t\x1b[1me\u0301\u200bX", 9, capsys)

    assert r"     1 | \t\x1b[1m" + "e\u0301" + r"\u200bX" == text
    assert len(r"     1 | \t\x1b[1me\u200b") == caret.index("^")


def test_quoting_many_lines_of_a_long_text_takes_no_longer_than_reading_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Quoting a thousand lines of a 16 MB text takes seconds."""
    source = "## a\n" * 2_600_000
    begun = process_time()
    for line in range(1, 1_001):
        where = SourceLocation(file="a.md", line=line, column=4)
        show_finding(Finding(code="X", message="m", where=where), source)

    assert "  1000 | ## a\n" in capsys.readouterr().out
    assert process_time() - begun < 10
