import pytest

from saniwa.app.scenario_files import rename_in_text
from saniwa.documents.document import DocumentFormat, parse_document_bytes


@pytest.mark.parametrize(
    ("format", "text", "copied"),
    [
        ("yaml", "# hut\nname: hut  # hut\na: hut\n", "# hut\nname: new  # hut\na: hut\n"),
        ("yaml", "name: 'hut'\r\na: 1\r\n", "name: 'new'\r\na: 1\r\n"),
        ("yaml", "{a: hut, name: hut}", "{a: hut, name: new}"),
        ("json", '{"a": "hut", "name": "hut"}', '{"a": "hut", "name": "new"}'),
    ],
)
def test_only_the_name_is_another(format: DocumentFormat, text: str, copied: str) -> None:
    """Renaming changes the name only, and keeps comments, quotes and line endings."""
    assert copied == rename_in_text(parse_document_bytes(text.encode(), "f", format), "new", format)


@pytest.mark.parametrize(
    "text",
    [
        "name: >-\n  hut\n",
        'name: "h\\x75t"\n',
        "a: &x hut\nname: *x\n",
        "name: 3\n",
        "a: 1\n",
        "[1]",
    ],
)
def test_what_takes_more_than_that_is_not_guessed(text: str) -> None:
    """If the renamed text would not be the same scenario, None is returned."""
    assert rename_in_text(parse_document_bytes(text.encode(), "f", "yaml"), "new", "yaml") is None
