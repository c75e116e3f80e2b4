import msgspec
import pytest

from saniwa.language.parse import parse
from saniwa.turn.answers import is_worth_suggesting
from saniwa.turn.claim_resolution import resolve_claim
from saniwa.turn.record import Rejection, SpokenWords
from saniwa.world.actions import Action, Look, Take, Use
from saniwa.world.model import Id
from tests.fakes.runs import open_courtyard_run
from tests.fakes.worlds import make_courtyard

PLAYER, KEY = Id("player"), Id("key")


@pytest.mark.parametrize(
    ("action", "worth"),
    [
        (Look(actor_id=PLAYER), True),
        (Take(actor_id=PLAYER, target_id=KEY), True),
        (Take(actor_id=PLAYER, target_id=KEY, source_id=Id("bench")), False),
        (Use(actor_id=PLAYER, target_id=KEY), False),
        (Use(actor_id=PLAYER, target_id=Id("nothing")), False),
        (Use(actor_id=PLAYER, target_id=KEY, manner="polish"), True),
    ],
)
def test_second_spellings_and_idle_uses_are_not_listed(action: Action, worth: bool) -> None:
    """Alternative forms and uses without an effect are not suggested."""
    assert worth == is_worth_suggesting(action, open_courtyard_run().world)


def test_a_use_with_an_effect_is_listed() -> None:
    """A use with an effect is suggested."""
    world = open_courtyard_run().world
    key = msgspec.structs.replace(world.entities[KEY], attributes={"use": "It rings."})
    world = msgspec.structs.replace(world, entities=world.entities.set(KEY, key))

    assert is_worth_suggesting(Use(actor_id=PLAYER, target_id=KEY), world)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("unlock the iron gat", "unlock the iron gate"),
        ("opne gate", "open gate"),
        ("talk to Groundskeper", "talk to groundskeeper"),
        ("opne teh gaet", "open the gate"),
    ],
)
def test_a_line_with_typing_errors_is_suggested_without_them(line: str, near: str) -> None:
    """Words that are understood once their typing errors are corrected are suggested as a whole."""
    words, world = SpokenWords(actor_id=PLAYER, text=line), make_courtyard()

    (claim,) = parse(line, PLAYER, world)
    found = resolve_claim(claim, 0, words, world)

    assert isinstance(found, Rejection)
    assert f"did you mean “{near}”?" == found.hint
