import msgspec
import pytest

from saniwa.turn.answers import is_worth_suggesting
from saniwa.world.actions import Action, Look, Take, Use
from saniwa.world.model import Id
from tests.fakes.runs import open_courtyard_run

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
