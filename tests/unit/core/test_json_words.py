import pytest

from saniwa.core.errors import DocumentError
from saniwa.documents.document import parse_document


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"a": [1,,2]}', "remove one of the commas"),
        ('{"a": 1,}', "before the closing bracket"),
        ("[1,]", "before the closing bracket"),
        ('{"a":}', "a number, true"),
        ('{"a": ,"b": 1}', "a number, true"),
        ("[,1]", "a number, true"),
        ('{,"a": 1}', '"key": value'),
        ("{\"a\": 'b'}", "double quotes"),
        ('{"a": b}', "double quotes"),
        ("{a: 1}", '"key": value'),
        ("{“a”: 1}", "ordinary double quotes"),
        ('{"a" 1}', '"key": value'),
        ("[1 2]", "']' after the last"),
        ('{"a": 1 "b": 2}', "'}' after the last"),
        ("[1,", "double quotes"),
        ('{"a": 1', "'}' after the last"),
        ("", "double quotes"),
        ('{"a": 1} // x', "no comments"),
        ('{ # x\n"a": 1}', "no comments"),
        ("[NaN]", "null"),
        ('"a', "close the double quote"),
        ('"a\nb"', "\\n"),
        ('"\\q"', "\\\\"),
        ('"\\u12"', "\\\\"),
        ('"\\ud800"', "both"),
        ("[" * 101, "less deeply"),
        ("9" * 2000, "in quotes"),
        ("1e999", "in quotes"),
    ],
)
def test_what_is_not_json_is_reported_with_a_hint(text: str, hint: str) -> None:
    """The finding for invalid JSON says what to write instead."""
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "f.json", "json")

    assert "DOCUMENT_SYNTAX" == caught.value.code
    assert caught.value.where is not None
    assert hint in caught.value.hint
