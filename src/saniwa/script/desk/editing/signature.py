"""The functions of expressions as a person reads them."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Signature(NamedTuple):
    """How a function is called, and what it answers."""

    shown: str
    """A call of it."""
    about: str
    """What it is worth."""


SIGNATURES: Final[Mapping[str, Signature]] = {
    "visits": Signature('visits("label")', "how often the label was reached"),
    "chosen": Signature('chosen("id")', "how often the option of that id was taken"),
    "roll": Signature("roll(1, 6)", "a whole number by chance, both ends included"),
    "flag": Signature('flag("name")', "a flag of the world beneath"),
    "place": Signature('place("who")', "the id of the place somebody is at"),
    "holds": Signature('holds("who", "thing")', "whether somebody holds a thing"),
    "here": Signature('here("thing")', "whether it is where the reader's character is"),
    "state": Signature('state("thing")', "open, closed, locked, or a state of its own"),
}
"""All functions, by name."""
