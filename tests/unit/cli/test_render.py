import pytest

from saniwa.cli.render import printable, show_error, show_finding
from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.where import Where


def test_a_finding_points_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """The line is quoted and the caret stands under the column, wide letters counted."""
    where = Where(file="a.yaml", line=2, column=3)
    finding = Finding(code="X", message="no", where=where, hint="do")

    show_finding(finding, "one\n庭: 家屋\n")

    shown = capsys.readouterr().out.split("\n")
    assert "error[X]: no" == shown[0]
    assert "     2 | 庭: 家屋" == shown[2]
    assert "       |    ^" == shown[3]
    assert "  hint: do" == shown[4]


def test_no_author_moves_the_cursor() -> None:
    """Control characters and text that turns direction are shown, not obeyed."""
    assert r"\x1b[2J\x07\u202e\r庭" == printable("\x1b[2J\x07\u202e\r庭")


@pytest.mark.parametrize(("recoverable", "code"), [(False, 3), (True, 4)])
def test_an_error_has_its_exit_code(recoverable: bool, code: int) -> None:
    """What may succeed later ends with 4, what stops us with 3."""
    error = SaniwaError("X", "no", recoverable=recoverable)

    assert code == show_error(error, as_json=False)


def test_machines_get_the_error_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the error stands on standard output, whole."""
    show_error(SaniwaError("X", "no"), as_json=True)

    assert capsys.readouterr().out.startswith('{"ok":false,"error":{"code":"X"')
