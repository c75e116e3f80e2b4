from typing import Any

import pytest

from saniwa.integrations.textworld.game_format import (
    COOKING,
    COUNTED,
    STRICT,
    GameDialect,
    detect_dialect,
)
from saniwa.rulebook.loader import SHIPPED_BOOKS

_ALL = pytest.mark.parametrize("dialect", [STRICT, COOKING, COUNTED])


@_ALL
def test_predicates_speak_of_types_that_are_known(dialect: GameDialect) -> None:
    """The types of all predicates are known."""
    told = dialect.signatures.values()
    spoken = {type for forms in told for each in forms for type in each}

    assert spoken <= dialect.types | dialect.kindred.keys()
    assert all(kin <= dialect.types for kin in dialect.kindred.values())


@_ALL
def test_a_sort_of_games_has_a_book_that_comes_with_us(dialect: GameDialect) -> None:
    """The rulebook of each kind of game is shipped."""
    assert dialect.book in SHIPPED_BOOKS


def _make_infos(*types: str) -> list[Any]:
    return [[f"{type}_0", {"id": f"{type}_0", "type": type}] for type in types]


@pytest.mark.parametrize(
    ("entities", "dialect"),
    [
        (_make_infos("r", "o", "f"), STRICT),
        (_make_infos("r", "meal"), COOKING),
        (_make_infos("stove"), COOKING),
        (_make_infos("meal", "slot"), COUNTED),
        (_make_infos("dragon"), STRICT),
        ("no list", STRICT),
        ([3, ["x"], ["y", None], ["z", {"type": ["f"]}]], STRICT),
    ],
)
def test_a_game_is_of_the_sort_of_what_is_in_it(entities: Any, dialect: GameDialect) -> None:
    """Ovens and meals make a cooking game; anything else is strict."""
    assert dialect is detect_dialect(entities)
