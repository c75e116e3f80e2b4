"""Kitchens nobody here wrote: the `cooking` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from saniwa.scenario.textworld import import_game
from tests.fakes.textworld import file_of
from tests.strangers.conftest import Tally
from tests.strangers.fresh import again, rounds, seed_of
from tests.strangers.kitchen import ROOMS, Cooking, Kitchen, made_kitchen
from tests.strangers.walk import NOTHING, Walk

_WALKS, _STEPS = 2, 20


@pytest.mark.parametrize("nth", rounds(4, 100))
def test_a_kitchen_nobody_wrote_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = seed_of(nth, len(ROOMS))
    game, settings = made_kitchen(seed)
    story = f"{again(seed, 'tests/strangers/test_cooking.py')}\n{settings}"
    lines = list(import_game(file_of(game), "game").walkthrough)
    chance = Random(seed)

    whole = Walk(game, Cooking(), story, Kitchen)
    whole.go_on(lines, chance)
    assert whole.won, story
    compared = whole.compared
    for _ in range(_WALKS):
        walk = Walk(game, Cooking(), story, Kitchen)
        # From anywhere on the way, or hardly any walk would ever make a meal.
        walk.go_on(lines[: chance.randint(0, len(lines))], chance)
        walk.stroll(_STEPS, chance)
        compared += walk.compared

    assert compared != NOTHING
    tally("kitchens", 1)
    tally("states", compared.states)
    tally("commands allowed by both", compared.listed)
    tally("commands refused by both", compared.refused)
