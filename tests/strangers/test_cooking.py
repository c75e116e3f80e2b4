"""Kitchens nobody here wrote: the `cooking` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from saniwa.integrations.textworld.importer import import_game
from tests.fakes.textworld import file_of
from tests.strangers.conftest import Tally
from tests.strangers.fresh import again, rounds, seed_of
from tests.strangers.kitchen import ROOMS, Cooking, Kitchen, made_kitchen
from tests.strangers.walk import Walk, explored

_WALKS, _STEPS = 2, 20


@pytest.mark.parametrize("nth", rounds(2, 100))
def test_a_kitchen_nobody_wrote_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = seed_of(nth, len(ROOMS))
    game, settings = made_kitchen(seed)
    story = f"{again(seed, 'tests/strangers/test_cooking.py')}\n{settings}"
    lines = list(import_game(file_of(game), "game").walkthrough)

    compared = explored(
        lambda: Walk(game, Cooking(), story, Kitchen), lines, Random(seed), _WALKS, _STEPS
    )

    assert compared.states > len(lines)
    tally("kitchens", 1)
    compared.put_to(tally)
