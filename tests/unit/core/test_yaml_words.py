import pytest

from saniwa.core.errors import DocumentError
from saniwa.documents.document import parse_document


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("name: a: b\n", "a ': ' is not allowed here", "quote"),
        ("a:\n  b: 1\n c: 2\n", "this does not fit the keys before it", "indent"),
        ("- a\nb: 1\n", "this does not fit the list before it", "'-'"),
        ("a: - b\n", "a list item cannot start here", "line of its own"),
        ("a: [b\nc: 1\n", "a '[' before this is not closed", "']'"),
        ("a: {b: 1\nc: 1\n", "a '{' before this is not closed", "'}'"),
        ("roles: *\n", "'*' and '&' mean something else in YAML", '"*"'),
        ("a:\n\tb: 1\n", "no value can start with this character", "tabs"),
        ("a: 'b\n", "the file ends inside a quoted text", "close the quote"),
        (
            "{name: a, b: [}\n",
            "a value is missing here, or a ',', ']' or '}' is one too many",
            "inner",
        ),
        ("{a: 1}}\n", "nothing may follow the end of the document", "closes nothing"),
        ("a: 1\n\tb: 2\n", "this line is indented with a tab", "spaces"),
        ("a: |b\n  c\n", "the text after '|' or '>' begins on the next line", "indent"),
        ('a: "b\n---\n"', "a quoted text is not closed before this line", "close the quote"),
        ('a: "\\x"\n', "the escape before this needs hexadecimal digits", "backslash"),
        ('a: "\\q"\n', "there is no such escape in double quotes", "backslash"),
    ],
)
def test_what_is_not_yaml_is_reported_in_plain_words(text: str, message: str, hint: str) -> None:
    """A YAML error is explained without the parser's terms."""
    with pytest.raises(DocumentError) as caught:
        parse_document(text)

    only = caught.value
    assert ("DOCUMENT_SYNTAX", message) == (only.code, only.message)
    assert hint in only.hint


def test_what_the_reader_itself_says_stays() -> None:
    """A finding of Saniwa's own reader keeps its message and hint."""
    with pytest.raises(DocumentError) as caught:
        parse_document("a: 1\n---\nb: 1\n")

    assert ("a second document starts here", "a file contains one document") == (
        caught.value.message,
        caught.value.hint,
    )
