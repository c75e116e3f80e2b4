from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.rulebook.judge import judge
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.rulebook.predicates import make_case
from saniwa.world.actions import Take, Use
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Id, World
from tests.fakes.books import build_book, make_rule
from tests.fakes.kitchen_world import make_kitchen
from tests.fakes.worlds import PLAYER


def _holds(condition: Any, target: str, world: World) -> bool:
    action = Use(actor_id=PLAYER, target_id=Id(target))
    book = build_book(make_rule("use", condition))
    return book.checks[Use][0].test(make_case(action, world))


def _hold_only(*things: str, **facts: Any) -> World:
    """The kitchen with only these things held, and some attributes of the soup changed."""
    world = make_kitchen()
    changed = [
        replace(
            e,
            place=PLAYER if e.id in things else None if e.place == PLAYER else e.place,
            attributes=e.attributes | (facts if e.id in ("soup", PLAYER) else {}),
        )
        for e in world.entities.values()
    ]
    return build_world(changed, [*world.locations.values()], protagonist=PLAYER)


@pytest.mark.parametrize(
    ("held", "ingredients", "holds"),
    [
        (("carrot", "leek"), ["carrot", "leek"], True),
        (("carrot",), ["carrot", "leek"], False),
        (("carrot",), ["carrot"], True),
        (("carrot",), [], False),
        (("carrot",), "carrot", False),
        (("carrot",), ["carrot", 3], False),
        (("carrot",), ["carrot", "dragon"], False),
    ],
)
def test_all_that_a_fact_lists_is_held(
    held: tuple[str, ...], ingredients: Any, holds: bool
) -> None:
    """Every id in the attribute must be held, and there must be at least one."""
    condition = {"allHeld": {"role": "target", "attribute": "ingredients"}}
    world = _hold_only(*held, ingredients=ingredients)

    assert holds is _holds(condition, "soup", world)
    assert not _holds(condition, "stove", world)


@pytest.mark.parametrize(
    ("hands", "full"),
    [(3, False), (2, True), (1, True), (0, True), (True, False), ("2", False), (None, False)],
)  # fmt: skip
def test_hands_are_full_at_the_number_they_have(hands: Any, full: bool) -> None:
    """Without a number of hands, hands are never full."""
    assert full is _holds("handsFull", "soup", _hold_only("carrot", "knife", hands=hands))


def test_full_hands_take_nothing_by_the_cooking_book() -> None:
    """The cooking book limits taking where the actor has a number of hands."""
    book = build_rulebook(resolve_layers("cooking"))
    take = Take(actor_id=PLAYER, target_id=Id("leek"))

    assert judge(take, make_kitchen(), book).success
    full = judge(take, _hold_only("carrot", "knife", hands=2), book)
    assert ("take.hands_free", "MISSING_REQUIREMENT") == (full.check, full.reason_code)
