"""Games of every sort that `tw-make` makes and Saniwa imports, each from one number."""

from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded: the same seed makes the same game
from typing import Any, NamedTuple

from tests.fakes.textworld import make_challenge_game, make_custom_game

MOST_TRIES = 20
"""Attempts, as TextWorld may find no quest in a map it has drawn."""


class MadeGame(NamedTuple):
    """A game, and how it was made."""

    game: Any
    """TextWorld's game."""
    settings: str
    """The settings TextWorld was called with."""


def _choose_custom(chance: Random) -> tuple[dict[str, Any], Callable[..., Any]]:
    length = chance.randint(1, 10)
    settings = {
        "rooms": chance.randint(1, 12),
        "objects": chance.randint(5, 30),
        "length": length,
        "breadth": chance.randint(1, min(3, length)),
        "parallel": chance.choice((1, 1, 2, 3)),
        "theme": chance.choice(("house", "basic")),
        "include_adj": chance.random() < 0.5,
        "allowed_variables_numbering": True,
    }
    return settings, make_custom_game


def _choose_simple(chance: Random) -> tuple[dict[str, Any], Callable[..., Any]]:
    settings = {
        "name": "tw-simple",
        "rewards": chance.choice(("dense", "balanced", "sparse")),
        "goal": chance.choice(("detailed", "brief", "none")),
        "test": chance.random() < 0.5,
    }
    return settings, make_challenge_game


def _choose_coins(chance: Random) -> tuple[dict[str, Any], Callable[..., Any]]:
    level = chance.randint(0, 2) * 100 + chance.randint(1, 15)
    return {"name": "tw-coin_collector", "level": level}, make_challenge_game


def _choose_treasure(chance: Random) -> tuple[dict[str, Any], Callable[..., Any]]:
    # There are 30; from 26 on the same things are further apart, and TextWorld itself
    # takes up to half a minute to make one.
    return {"name": "tw-treasure_hunter", "level": chance.randint(1, 25)}, make_challenge_game


SORTS = (
    _choose_custom,
    _choose_treasure,
    _choose_custom,
    _choose_simple,
    _choose_custom,
    _choose_coins,
)
"""The sorts of games, in the order of a seed's remainder."""


def make_game(seed: int) -> MadeGame:
    """The game of a seed: its sort, its settings and everything in it."""
    from textworld.generator import QuestGenerationError

    chance = Random(seed)
    for _ in range(MOST_TRIES):
        settings, make = SORTS[seed % len(SORTS)](chance)
        try:
            game = make(seed=chance.randrange(65536), **settings)
        except QuestGenerationError:
            continue
        return MadeGame(game, ", ".join(f"{k}={v!r}" for k, v in settings.items()))
    raise AssertionError(f"TextWorld finds no quest for seed {seed}")
