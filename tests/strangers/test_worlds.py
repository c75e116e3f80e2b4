"""Worlds nobody here wrote: the `strict` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from tests.strangers.conftest import Tally
from tests.strangers.fresh import again, rounds, seed_of
from tests.strangers.makings import SORTS, made
from tests.strangers.tongue import Strict
from tests.strangers.walk import Walk, explored

_WALKS, _STEPS = 3, 30


@pytest.mark.parametrize("nth", rounds(6, 300))
def test_a_world_nobody_wrote_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = seed_of(nth, len(SORTS))
    game, settings = made(seed)
    story = f"{again(seed, 'tests/strangers/test_worlds.py')}\n{settings}"
    lines = list(game.metadata["walkthrough"])

    compared = explored(lambda: Walk(game, Strict(), story), lines, Random(seed), _WALKS, _STEPS)

    assert compared.states > len(lines)
    tally("worlds", 1)
    compared.put_to(tally)
