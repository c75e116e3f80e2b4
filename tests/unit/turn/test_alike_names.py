import pytest

from saniwa.language.text import NAMES, prepare_text
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import resolve_reference
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World

ANNE = Id("anne")


def _make_attic() -> World:
    """A lantern with the alias "lamp", and things whose names contain "lamp"."""
    attic = Id("attic")
    return build_world(
        [
            Entity(id=ANNE, name="Anne", kind="character", place=attic),
            Entity(id=Id("a"), name="great lamp", takeable=True, place=attic),
            Entity(id=Id("b"), name="lantern", aliases=("lamp",), place=attic),
            Entity(id=Id("c"), name="lamp oil", takeable=True, place=attic),
            Entity(id=Id("d"), name="great lamp stand", takeable=True, place=attic),
        ],
        [Location(id=attic, name="attic")],
    )


@pytest.mark.parametrize(
    ("words", "expected"), [("lamp", "b"), ("great lamp", "a"), ("lamp oil", "c"), ("stand", "d")]
)
def test_a_whole_name_is_meant_before_a_part_of_another(words: str, expected: str) -> None:
    """A whole name or alias is matched before a part of another name."""
    sought = (words, "take", "target_id")

    assert Id(expected) == resolve_reference(
        *sought, SpokenWords(actor_id=ANNE, text=""), _make_attic()
    )


def test_letters_that_are_put_together_are_heard_as_one() -> None:
    """A character and its combining mark match the composed character in a name."""
    heard = prepare_text("か\u3099らす玉を取る", ("がらす玉",))

    assert ("がらす玉を取る", 4) == (heard.text, sum(c in NAMES for c in heard.mask))
