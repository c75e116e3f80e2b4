from typing import Any

import pytest

from saniwa.world import actions
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.worlds import PLAYER
from tests.unit.rulebook.test_facts import holds


def _take(target: str, source: str | None = None) -> actions.Take:
    from_it = Id(source) if source else None
    return actions.Take(actor_id=PLAYER, target_id=Id(target), source_id=from_it)


IN_SOURCE = {"directlyIn": {"role": "target", "holderRole": "source"}}
AROUND = {"contains": {"outerRole": "source", "innerRole": "target"}}
SAME = {"sameThing": {"roleA": "target", "roleB": "source"}}


@pytest.mark.parametrize(
    ("condition", "action", "expected"),
    [
        ({"inScope": "target"}, _take("key"), True),
        ({"inScope": "target"}, _take("coin"), False),
        ({"inScope": "target"}, _take("unicorn"), False),
        ({"held": "target"}, _take("key"), False),
        ({"held": "target"}, _take("unicorn"), False),
        (IN_SOURCE, _take("key", "bench"), True),
        (IN_SOURCE, _take("key", "yard"), False),
        (IN_SOURCE, _take("key"), False),
        (AROUND, _take("key", "yard"), True),
        (AROUND, _take("key", "key"), True),
        (AROUND, _take("key", "shed"), False),
        (AROUND, _take("key"), False),
        (SAME, _take("key", "key"), True),
        (SAME, _take("key", "bench"), False),
        (SAME, _take("key"), False),
        ("sameLocation", _take("key"), True),
        ("sameLocation", _take("coin"), False),
        ("sameLocation", _take("gate"), False),
        ("sameLocation", _take("unicorn"), False),
        ("itemInInventory", _take("key"), False),
        ("itemInInventory", _take("unicorn"), False),
        ("possessed", _take("key"), False),
        ("possessed", _take("gate"), False),
        ("possessed", _take("unicorn"), False),
        ({"connected": "target"}, _take("shed"), True),
        ({"connected": "target"}, _take("yard"), False),
        ({"connected": "target"}, _take("unicorn"), False),
        ("offStage", _take("key"), False),
        ("offStage", _take("gate"), False),
        ("offStage", _take("unicorn"), False),
        ({"attributeHeld": {"attribute": "name"}}, _take("key"), False),
        ({"attributeHeld": {"attribute": "name"}}, _take("unicorn"), False),
        ("keyFits", actions.Unlock(actor_id=PLAYER, target_id=Id("gate")), False),
    ],
)
def test_relations_in_the_courtyard(condition: Any, action: Any, expected: bool) -> None:
    """Each predicate tells how two things are related; an absent thing is related to nothing."""
    assert expected == holds(condition, action)


def _make_pockets_world() -> World:
    def make_item(name: str, place: str | None, **more: Any) -> Entity:
        at = Id(place) if place else None
        return Entity(id=Id(name), name=name, place=at, **more)

    return build_world(
        [
            make_item("player", "room", kind="character"),
            make_item("thief", "room", kind="character"),
            make_item("bag", "thief", kind="container"),
            make_item("pearl", "bag"),
            make_item("mine", "player"),
            make_item("ring_a", "ring_b"),
            make_item("ring_b", "ring_a"),
            make_item("extra", None),
            make_item("lamp", "room", attributes={"use": {"needs": "mine"}}),
            make_item("safe", "room", required_key=Id("mine")),
        ],
        [Location(id=Id("room"), name="Room")],
    )


@pytest.mark.parametrize(
    ("condition", "action", "expected"),
    [
        ("possessed", _take("bag"), True),
        ("possessed", _take("pearl"), True),
        ("possessed", _take("mine"), False),
        ("possessed", _take("ring_a"), False),
        ("offStage", _take("extra"), True),
        ("offStage", _take("ring_a"), True),
        ({"held": "target"}, _take("mine"), True),
        ("itemInInventory", _take("mine"), True),
        ({"attributeHeld": {"attribute": "use.needs"}}, _take("lamp"), True),
        (
            "keyFits",
            actions.Unlock(actor_id=PLAYER, target_id=Id("safe"), tool_id=Id("mine")),
            True,
        ),
    ],
)
def test_relations_of_what_is_held(condition: Any, action: Any, expected: bool) -> None:
    """A thing in a held bag is held; in a cycle of containers it is not."""
    assert expected == holds(condition, action, _make_pockets_world())
