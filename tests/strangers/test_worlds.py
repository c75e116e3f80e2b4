"""Worlds nobody here wrote: the `strict` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from tests.strangers.conftest import Tally
from tests.strangers.fresh_seeds import draw_seed, list_rounds, render_command
from tests.strangers.game_makers import SORTS, make_game
from tests.strangers.game_walk import GameWalk, explore_game
from tests.strangers.textworld_dialect import StrictDialect

_WALKS, _STEPS = 3, 30


@pytest.mark.parametrize("nth", list_rounds(6, 300))
def test_a_random_world_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = draw_seed(nth, len(SORTS))
    game, settings = make_game(seed)
    story = f"{render_command(seed, 'tests/strangers/test_worlds.py')}\n{settings}"
    lines = list(game.metadata["walkthrough"])

    compared = explore_game(
        lambda: GameWalk(game, StrictDialect(), story), lines, Random(seed), _WALKS, _STEPS
    )

    assert compared.states > len(lines)
    tally("worlds", 1)
    compared.put_to(tally)
