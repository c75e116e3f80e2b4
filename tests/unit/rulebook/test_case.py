from typing import Any

import pytest

from saniwa.rulebook.predicates import ROLES, find_way, make_case
from saniwa.world.actions import Give, Introduce, Move, Put, Take, Unlock, Wait
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location
from tests.fakes.worlds import PLAYER, make_courtyard


def _resolve_roles(action: Any) -> dict[str, str]:
    case = make_case(action, make_courtyard())
    found = {name: role.resolve(case) for name, role in ROLES.items()}
    return {name: thing.id for name, thing in found.items() if thing is not None}


@pytest.mark.parametrize(
    ("action", "played"),
    [
        (Wait(actor_id=PLAYER), {}),
        (Wait(actor_id=Id("ghost")), {"actor": None, "actorRoom": None}),
        (
            Move(actor_id=PLAYER, target_id=Id("orchard")),
            {"target": "orchard", "targetRoom": "orchard", "door": "gate"},
        ),
        (Move(actor_id=PLAYER, target_id=Id("shed")), {"target": "shed", "targetRoom": "shed"}),
        (
            Unlock(actor_id=PLAYER, target_id=Id("gate"), tool_id=Id("rusty")),
            {"target": "gate", "tool": "rusty", "key": "key"},
        ),
        (
            Take(actor_id=PLAYER, target_id=Id("key"), source_id=Id("bench")),
            {"target": "key", "targetRoom": "yard", "source": "bench", "holder": "bench"},
        ),
        (
            Put(actor_id=PLAYER, target_id=Id("coin"), destination_id=Id("well")),
            {"target": "coin", "targetRoom": "shed", "destination": "well", "holder": "chest"},
        ),
        (
            Give(actor_id=PLAYER, target_id=Id("loaf"), recipient_id=Id("keeper")),
            {"target": "loaf", "targetRoom": "shed", "recipient": "keeper", "holder": "shed"},
        ),
        (Introduce(actor_id=PLAYER), {}),
        (Introduce(actor_id=PLAYER, target_id=Id("unicorn")), {}),
    ],
)
def test_roles_mean_what_the_action_names(action: Any, played: Any) -> None:
    """Each role is what the action and the world make it, or empty."""
    known = {"actor": "player", "actorRoom": "yard"} | played

    assert {k: v for k, v in known.items() if v} == _resolve_roles(action)


def test_metadata_is_part_of_an_introduction() -> None:
    """The metadata of an introduction is part of the case."""
    action = Introduce(actor_id=PLAYER, metadata={"name": "harp"})

    assert {"name": "harp"} == make_case(action, make_courtyard()).metadata


def _make_door(name: str, **facts: Any) -> Entity:
    sides = (Id("a"), Id("b"))
    return Entity(id=Id(name), name=name, kind="door", connects=sides, **facts)


@pytest.mark.parametrize(
    ("ways", "chosen"),
    [
        (["shut", "open"], "open"),
        (["shut", "barred"], "shut"),
        (["barred", "shut"], "barred"),
        (["secret"], None),
        (["secret", "shut"], "shut"),
        (["gone"], "gone"),
        ([], None),
    ],
)
def test_of_several_ways_an_open_one_is_taken(ways: list[str], chosen: str | None) -> None:
    """An open exit is preferred, else the first visible one; hidden doors do not count."""
    doors = [
        _make_door("open"),
        _make_door("shut", openable=True, open=False),
        _make_door("barred", openable=True, open=False, locked=True),
        _make_door("secret", hidden=True),
    ]
    exits = tuple(Exit(to=Id("b"), door=Id(name)) for name in ways)
    me = Entity(id=PLAYER, name="me", kind="character", place=Id("a"))
    rooms = [Location(id=Id("a"), name="A", exits=exits), Location(id=Id("b"), name="B")]
    world = build_world([me, *doors], rooms)
    way = find_way(make_case(Move(actor_id=PLAYER, target_id=Id("b")), world), Id("b"))

    assert chosen == (way.door if way else None)
