from typing import Any

import pytest

from saniwa.world.actions import Action, Look, Use
from saniwa.world.effects import (
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    SetEffect,
)
from saniwa.world.model import Id
from saniwa.world.well_formedness_laws import MOST_EFFECTS, find_law_broken_by
from tests.fakes.worlds import PLAYER, make_courtyard

CRAFT = Use(actor_id=PLAYER, target_id=Id("loaf"), manner="slice")
PLAIN = Use(actor_id=PLAYER, target_id=Id("loaf"))


def _find_broken_law(*effects: Effect, action: Action = CRAFT) -> str:
    broken = find_law_broken_by(action, effects, make_courtyard())
    return "" if broken is None else broken.law


def _make_set_effect(**facts: Any) -> SetEffect:
    return SetEffect(entity_id=Id("loaf"), facts=facts)


@pytest.mark.parametrize(
    "effect",
    [
        _make_set_effect(cut=True, slices=[1, 2], edible=False, state=["cut"], description=""),
        RemoveEffect(entity_id=Id("loaf")),
        BringEffect(entity_id=Id("coin")),
        DismissEffect(entity_id=Id("chest")),
        FlagEffect(name="sliced"),
    ],
)
def test_what_a_world_can_hold_is_lawful(effect: Effect) -> None:
    """A craft may have all these effects on a thing."""
    assert "" == _find_broken_law(effect)


@pytest.mark.parametrize(
    ("effect", "law"),
    [
        (RemoveEffect(entity_id=Id("keeper")), "consumable"),
        (RemoveEffect(entity_id=Id("gate")), "consumable"),
        (RemoveEffect(entity_id=Id("chest")), "empty"),
        (RemoveEffect(entity_id=Id("yard")), "changeable"),
        (RemoveEffect(entity_id=Id("nothing")), "changeable"),
        (BringEffect(entity_id=Id("keeper")), "portable"),
        (DismissEffect(entity_id=Id("gate")), "portable"),
        (DismissEffect(entity_id=PLAYER), "portable"),
        (_make_set_effect(locked=True), "settable"),
        (_make_set_effect(place="yard"), "settable"),
        (_make_set_effect(requiredKey="key"), "settable"),
        (_make_set_effect(attributes={}), "settable"),
        (_make_set_effect(edible="yes"), "settable"),
        (_make_set_effect(state=["ok", 3]), "settable"),
        (_make_set_effect(description="a" * 10_001), "settable"),
        (SetEffect(entity_id=Id("loaf"), facts={"": 1}), "settable"),
        (SetEffect(entity_id=Id("yard"), facts={"lit": True}), "changeable"),
        (FlagEffect(name=""), "settable"),
    ],
)
def test_what_no_world_could_hold_breaks_a_law(effect: Effect, law: str) -> None:
    """No effect may break the rules of a valid world, whatever the book says."""
    assert law == _find_broken_law(effect)


def test_effects_are_weighed_one_after_the_other() -> None:
    """Each effect is checked after the previous ones: an emptied chest may be removed."""
    chest, coin = (RemoveEffect(entity_id=Id("chest")), RemoveEffect(entity_id=Id("coin")))

    assert "" == _find_broken_law(coin, chest)
    assert "" == _find_broken_law(BringEffect(entity_id=Id("coin")), chest)
    assert "empty" == _find_broken_law(chest, coin)
    assert "changeable" == _find_broken_law(coin, coin)
    assert "changeable" == _find_broken_law(coin, BringEffect(entity_id=Id("coin")))


def test_only_a_craft_has_effects() -> None:
    """Only crafts have effects."""
    assert "craft" == _find_broken_law(FlagEffect(name="lit"), action=PLAIN)
    assert "craft" == _find_broken_law(FlagEffect(name="lit"), action=Look(actor_id=PLAYER))
    assert "" == _find_broken_law(action=PLAIN)


def test_effects_are_bounded() -> None:
    """The number of effects of a craft is limited."""
    assert "" == _find_broken_law(*[FlagEffect(name="lit")] * MOST_EFFECTS)
    assert "craft" == _find_broken_law(*[FlagEffect(name="lit")] * (MOST_EFFECTS + 1))


def test_the_laws_of_every_action_come_first() -> None:
    """The laws for all actions are checked before those for effects."""
    nobody = Use(actor_id=Id("nobody"), target_id=Id("loaf"), manner="slice")
    nothing = Use(actor_id=PLAYER, target_id=Id("dragon"), manner="slice")

    assert "actor" == _find_broken_law(FlagEffect(name=""), action=nobody)
    assert "exists" == _find_broken_law(FlagEffect(name=""), action=nothing)
