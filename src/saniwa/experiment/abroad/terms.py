"""What all environments agree on: how long, for what reward, and what a learner is told."""

from collections.abc import Sequence
from typing import Any, Final

from saniwa.experiment.abroad.offer import Offer

MAX_TURNS: Final = 100
"""Turns of an episode, all characters together, where nobody says otherwise."""
REACHED: Final = 1.0
"""The reward when the story ends well."""
FEWEST: Final = 2
"""The least that a number of turns, or of places in a list, may be."""


def check_bounds(max_turns: int, most_actions: int) -> None:
    """Go on if an environment can be played with these numbers.

    Raises:
        ValueError: One is too small.
    """
    for name, number in (("max_turns", max_turns), ("most_actions", most_actions)):
        if number < FEWEST:
            raise ValueError(f"{name} is {number}; it must be {FEWEST} or more")


def about(
    offers: Sequence[Offer], most: int, goals: Sequence[str], *, refused: bool
) -> dict[str, Any]:
    """What stands in `info`: what may be done, as far as it fits, and what is wanted."""
    listed = offers[:most]
    return {
        "admissible": [offer.text for offer in listed],
        "left_out": len(offers) - len(listed),
        "goals": [*goals],
        "refused": refused,
    }
