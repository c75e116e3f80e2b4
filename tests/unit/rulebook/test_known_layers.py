from typing import Any

import pytest

from saniwa.core.errors import RulebookError
from saniwa.core.where import Where
from saniwa.rulebook.load import book_from_layers, layers_of


def test_the_same_layers_are_read_once() -> None:
    """However many copies of them there are."""
    first = book_from_layers(layers_of("strict"))

    assert first is book_from_layers(layers_of("strict"))
    assert first is not book_from_layers(layers_of("default"))


def test_another_layer_makes_another_book() -> None:
    """What is remembered of the others does not show."""
    layers = layers_of("default")
    off: dict[str, Any] = {"rules": [{"actionType": "open", "enabled": False}]}
    edited = book_from_layers((*layers, off))

    assert edited.fingerprint != book_from_layers(layers).fingerprint
    assert edited is book_from_layers((*layers, {**off}))


def test_a_mistake_is_told_with_its_place_each_time() -> None:
    """Mistakes are not remembered."""
    wrong: dict[str, Any] = {"rules": [{"actionType": "fly"}]}
    for line in (3, 4):
        place = Where(file="b", line=line)
        with pytest.raises(RulebookError) as caught:
            book_from_layers((*layers_of(), wrong), _Standing(place))
        assert place == caught.value.where


class _Standing:
    """Everything stands in one place."""

    def __init__(self, place: Where) -> None:
        self._place = place

    def __call__(self, path: object) -> Where:
        """That place."""
        del path
        return self._place


@pytest.mark.parametrize("odd", [{1: "one"}, {"id": {2, 3}}, {"rules": ("a",)}])
def test_what_json_cannot_say_is_read_as_it_is(odd: dict[Any, Any]) -> None:
    """It is refused, as if nothing were remembered."""
    book_from_layers((*layers_of(), {}))
    with pytest.raises(RulebookError):
        book_from_layers((*layers_of(), odd))
