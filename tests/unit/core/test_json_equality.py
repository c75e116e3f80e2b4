import pytest

from saniwa.core.canonical_json import is_same_json


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (1, 1.0, True),
        ("a", "a", True),
        (None, None, True),
        ({"a": [1, {"b": True}]}, {"a": [1.0, {"b": True}]}, True),
        (True, 1, False),
        (0, False, False),
        ("1", 1, False),
        ([True], [1], False),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1], [1, 2], False),
        (None, False, False),
    ],
)
def test_json_values_are_compared_as_json(one: object, other: object, are: bool) -> None:
    """Numbers are compared by value and differ from booleans, at every depth and both ways."""
    assert are is is_same_json(one, other)
    assert are is is_same_json(other, one)
