"""Kitchens nobody here wrote: the `cooking` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from saniwa.integrations.textworld.importer import import_game
from tests.fakes.textworld import to_document
from tests.strangers.conftest import Tally
from tests.strangers.cooking_games import ROOMS, CookingDialect, CookingGame, make_cooking_game
from tests.strangers.fresh_seeds import draw_seed, list_rounds, render_command
from tests.strangers.game_walk import GameWalk, explore_game

_WALKS, _STEPS = 2, 20


@pytest.mark.parametrize("nth", list_rounds(2, 100))
def test_a_random_kitchen_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = draw_seed(nth, len(ROOMS))
    game, settings = make_cooking_game(seed)
    story = f"{render_command(seed, 'tests/strangers/test_cooking.py')}\n{settings}"
    lines = list(import_game(to_document(game), "game").walkthrough)

    compared = explore_game(
        lambda: GameWalk(game, CookingDialect(), story, CookingGame),
        lines,
        Random(seed),
        _WALKS,
        _STEPS,
    )

    assert compared.states > len(lines)
    tally("kitchens", 1)
    compared.put_to(tally)
