from typing import Any

import pytest

from saniwa.core.errors import RulebookError
from saniwa.core.findings import SourceLocation
from saniwa.rulebook.loader import build_rulebook, resolve_layers


def test_the_same_layers_are_read_once() -> None:
    """Equal layers give the same book, even if they are different objects."""
    first = build_rulebook(resolve_layers("strict"))

    assert first is build_rulebook(resolve_layers("strict"))
    assert first is not build_rulebook(resolve_layers("default"))


def test_another_layer_makes_another_book() -> None:
    """Other layers give another book."""
    layers = resolve_layers("default")
    off: dict[str, Any] = {"rules": [{"actionType": "open", "enabled": False}]}
    edited = build_rulebook((*layers, off))

    assert edited.fingerprint != build_rulebook(layers).fingerprint
    assert edited is build_rulebook((*layers, {**off}))


def test_a_mistake_is_reported_with_its_place_each_time() -> None:
    """A mistake is reported each time with its own location."""
    wrong: dict[str, Any] = {"rules": [{"actionType": "fly"}]}
    for line in (3, 4):
        place = SourceLocation(file="b", line=line)
        with pytest.raises(RulebookError) as caught:
            build_rulebook((*resolve_layers(), wrong), _OnePlaceScenes(place))
        assert place == caught.value.where


class _OnePlaceScenes:
    """Gives the same location for every path."""

    def __init__(self, place: SourceLocation) -> None:
        self._place = place

    def __call__(self, path: object) -> SourceLocation:
        """That place."""
        del path
        return self._place


@pytest.mark.parametrize("odd", [{1: "one"}, {"id": {2, 3}}, {"rules": ("a",)}])
def test_what_json_cannot_say_is_read_as_it_is(odd: dict[Any, Any]) -> None:
    """A layer that JSON cannot represent is refused as it would be without the cache."""
    build_rulebook((*resolve_layers(), {}))
    with pytest.raises(RulebookError):
        build_rulebook((*resolve_layers(), odd))
