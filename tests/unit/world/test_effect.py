import msgspec
import pytest

from saniwa.world.effects import (
    FIXED,
    SETTABLE,
    BringEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    SetEffect,
)
from saniwa.world.model import Entity, Id


@pytest.mark.parametrize(
    "effect",
    [
        SetEffect(entity_id=Id("loaf"), facts={"cut": True, "crumbs": None}),
        RemoveEffect(entity_id=Id("loaf")),
        BringEffect(entity_id=Id("loaf")),
        FlagEffect(name="baked", value=False),
    ],
)
def test_an_effect_is_the_same_after_json(effect: Effect) -> None:
    """An effect written as JSON and read again is the same effect."""
    written = msgspec.json.encode(effect)

    assert effect == msgspec.json.decode(written, type=Effect)


def test_what_an_effect_may_set_are_fields_of_an_entity() -> None:
    """A craft may set some fields of an entity, and every other field is fixed."""
    assert SETTABLE.keys() <= set(Entity.__struct_fields__)
    assert set(Entity.__struct_fields__) <= FIXED | SETTABLE.keys()
    assert {"requiredKey", "required_key", "place", "attributes"} <= FIXED
    assert FIXED.isdisjoint(SETTABLE)
