"""Worlds nobody here wrote: the `strict` book agrees with TextWorld in every state."""

from random import Random  # noqa: TID251 - seeded: the same seed walks the same way

import pytest

from tests.strangers.conftest import Tally
from tests.strangers.fresh import again, rounds, seed_of
from tests.strangers.makings import SORTS, made
from tests.strangers.tongue import Strict
from tests.strangers.walk import NOTHING, Walk

_WALKS, _STEPS = 3, 30


@pytest.mark.parametrize("nth", rounds(12, 300))
def test_a_world_nobody_wrote_is_as_textworld_says(nth: int, tally: Tally) -> None:
    """On the walkthrough and on random walks both allow, refuse and change the same."""
    seed = seed_of(nth, len(SORTS))
    game, settings = made(seed)
    story = f"{again(seed, 'tests/strangers/test_worlds.py')}\n{settings}"
    lines, chance = list(game.metadata["walkthrough"]), Random(seed)

    whole = Walk(game, Strict(), story)
    whole.go_on(lines, chance)
    assert whole.won, story
    compared = whole.compared
    for _ in range(_WALKS):
        walk = Walk(game, Strict(), story)
        # From anywhere on the way, or what lies behind a lock would seldom be seen.
        walk.go_on(lines[: chance.randint(0, len(lines))], chance)
        walk.stroll(_STEPS, chance)
        compared += walk.compared

    assert compared != NOTHING
    tally("worlds", 1)
    tally("states", compared.states)
    tally("commands allowed by both", compared.listed)
    tally("commands refused by both", compared.refused)
