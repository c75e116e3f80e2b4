import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.documents.json_edit import insert_json_value, parse_json_parts, remove_json_value

_SETTINGS = """\
{
    // What I like.
    "model": "opus", /* for now */
    "hooks": {
        "Stop": [{"hooks": []}], // mine, "not yours"
    },
    "list": [1, 2]
}
"""
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def test_a_text_with_comments_is_read() -> None:
    """Comments and a trailing comma are not part of the value."""
    value = parse_json_parts(_SETTINGS).value

    assert {"model": "opus", "hooks": {"Stop": [{"hooks": []}]}, "list": [1, 2]} == value


@pytest.mark.parametrize(
    ("path", "key", "value", "place"),
    [
        (["hooks"], "Start", [1], ["hooks", "Start"]),
        (["hooks", "Stop"], None, {"a": 1}, ["hooks", "Stop", 1]),
        (["hooks", "New"], None, {"a": 1}, ["hooks", "New"]),
        (["mcp", "servers"], "x", {"b": [1, 2]}, ["mcp"]),
        ([], "last", None, ["last"]),
        (["list"], None, 3, ["list", 2]),
    ],
)
def test_what_was_added_can_be_taken_out_again(
    path: list[str], key: str | None, value: object, place: list[str | int]
) -> None:
    """Adding a value and removing it again leaves every byte as it was, comments included."""
    added = insert_json_value(_SETTINGS, path, key, value)
    part = parse_json_parts(added)
    for step in [*path, *([key] if key is not None else [])]:
        found = part.find(step)
        assert found is not None
        part = found

    assert value == (part.value if key is not None else part.value[-1])
    assert _SETTINGS == remove_json_value(added, place)


@pytest.mark.parametrize("text", ["", " \n", "{}", "{ }\n"])
def test_an_empty_text_gets_an_object(text: str) -> None:
    """In an empty text, the added value is written on its own lines."""
    added = insert_json_value(text, ["a"], "b", 1)

    assert '{\n  "a": {\n    "b": 1\n  }\n}' == added.strip()
    assert "{}" == remove_json_value(added, ["a", "b"]).strip()


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ["a"], '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ["b"], '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ["c"], '{"a": 1, "b": 2}'),
        ('{"a": 1, /* of a, */ "b": 2}', ["b"], '{"a": 1 /* of a, */}'),
        ('{"a": 1 /* x, y */, "b": 2}', ["a"], '{"b": 2}'),
        ('{"a": 1, // of b\n "b": 2}', ["a"], '{ // of b\n "b": 2}'),
        ('{"a": [[1], [2]]}', ["a", 0, 0], '{"a": [[2]]}'),
        ('{"a": {"b": [1]}, "c": 1}', ["a", "b", 0], '{"c": 1}'),
        ('{"a": [1,],}', ["a", 0], "{}"),
    ],
)
def test_a_value_goes_with_its_comma(text: str, path: list[str | int], expected: str) -> None:
    """Containers left empty are removed as well; other comments stay."""
    assert expected == remove_json_value(text, path)


@pytest.mark.parametrize(
    "text",
    ["{", '{"a"}', '{"a": }', "[1 2]", "[1,,2]", "{} {}", "{a: 1}", "'a'", "[", "/", '"', "]"],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    """Invalid JSON is refused."""
    with pytest.raises(ValueError, match=r"offset|Expecting|ends|missing"):
        parse_json_parts(text)


def test_deep_nesting_is_refused() -> None:
    """Deep nesting is refused before the stack runs out."""
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json_parts("[" * 100_000)


@pytest.mark.parametrize(("path", "key"), [(["a"], "b"), ([], None), (["l"], "x")])
def test_a_value_of_another_kind_is_not_replaced(path: list[str], key: str | None) -> None:
    """Only an object gets keys, and only a list gets items."""
    with pytest.raises(ValueError, match="of another kind"):
        insert_json_value('{"a": 1, "l": []}', path, key, 1)


def test_a_value_that_is_not_there_cannot_be_removed() -> None:
    """Removing a missing value raises a KeyError."""
    with pytest.raises(KeyError):
        remove_json_value("{}", ["a"])


@given(st.dictionaries(st.text(max_size=4), _VALUES, max_size=4), st.integers(0, 4), _VALUES)
def test_any_text_survives_an_addition_and_its_removal(
    document: dict[str, object], indent: int, value: object
) -> None:
    """Any text is unchanged after an addition and its removal, whatever its indentation."""
    text = json.dumps(document, indent=indent or None, ensure_ascii=False)
    key = "new key"
    added = insert_json_value(text, [], key, value)

    assert document | {key: value} == json.loads(added)
    assert text == remove_json_value(added, [key])
