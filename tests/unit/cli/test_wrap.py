import pytest

from saniwa.cli.render import wrap_text
from saniwa.core.text import measure_width


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("", 10, [""]),
        ("short", 10, ["short"]),
        ("rain on the bridge", 10, ["rain on", "the bridge"]),
        ("雨の橋", 6, ["雨の橋"]),
        ("雨の橋に灯", 6, ["雨の橋", "に灯"]),
        ("雨の橋。灯", 6, ["雨の", "橋。灯"]),
        ("雨が「止む", 6, ["雨が", "「止む"]),
        ("灯は lamp です", 8, ["灯は", "lamp で", "す"]),
    ],
)
def test_lines_break_where_print_breaks_them(text: str, columns: int, lines: list[str]) -> None:
    """English is wrapped at spaces, Japanese where punctuation stays with its word."""
    assert lines == wrap_text(text, columns)


def test_a_row_of_marks_is_broken_rather_than_too_wide() -> None:
    """Text without a break is split, so that no line is too wide."""
    lines = wrap_text("。" * 50, 8)

    assert "。" * 50 == "".join(lines)
    assert 8 == max(measure_width(line) for line in lines)
