from pathlib import Path

import pytest

from saniwa.process.authoring.reading import read_process, read_process_text


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("name: a: b\n", "a ': ' stands where no key can end", "quotes"),
        ("a:\n  b: 1\n c: 2\n", "this does not fit the keys before it", "indent"),
        ("- a\nb: 1\n", "this does not fit the list before it", "'-'"),
        ("a: - b\n", "no item of a list can begin here", "line of its own"),
        ("a: [b\nc: 1\n", "a '[' before this is not closed", "']'"),
        ("a: {b: 1\nc: 1\n", "a '{' before this is not closed", "'}'"),
        ("roles: *\n", "'*' and '&' mean something else in YAML", '"*"'),
        ("a:\n\tb: 1\n", "nothing can begin with this character", "tabs"),
        ("a: 'b\n", "the file ends inside a quoted text", "close the quote"),
        ('a: "\\q"\n', "there is no such escape in double quotes", "backslash"),
    ],
)
def test_what_is_no_yaml_is_told_in_plain_words(
    text: str, message: str, hint: str
) -> None:
    """An author need not know what a token or an indicator is."""
    (only,) = read_process_text(text).report.findings

    assert ("DOCUMENT_SYNTAX", message) == (only.code, only.message)
    assert hint in only.hint


def test_what_the_reader_itself_says_stays() -> None:
    """A cure that is there already is not replaced."""
    (only,) = read_process_text("a: 1\n---\nb: 1\n").report.findings

    assert ("a second document begins here", "one file, one document") == (
        only.message,
        only.hint,
    )


def test_the_line_that_is_no_yaml_can_be_quoted(tmp_path: Path) -> None:
    """The text comes with the report, also where nothing could be made of it."""
    file = tmp_path / "a.yaml"
    file.write_text("\ufeffversion: 1\nname: a: b\n", encoding="utf-8")
    read = read_process(file)

    (only,) = read.report.findings
    assert (2, "name: a: b") == (only.where.line, read.document.line(2))
