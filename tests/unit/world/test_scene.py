import msgspec

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import build_scene
from tests.fakes.worlds import PLAYER, make_courtyard


def _change_entities(world: World, **changes: dict[str, object]) -> World:
    changed = [
        msgspec.structs.replace(world.entities[Id(name)], **facts)
        for name, facts in changes.items()
    ]
    others = [e for e in world.entities.values() if e.id not in changes]
    return build_world([*others, *changed], [*world.locations.values()], time=world.time)


def test_a_scene_holds_what_is_in_reach_and_nothing_else() -> None:
    """A scene lists things, people, held things and exits, and what each thing is on."""
    seen = build_scene(_change_entities(make_courtyard(), rusty={"place": PLAYER}), PLAYER)

    assert seen.place is not None
    assert "yard" == seen.place.id
    assert ["bench", "gate", "key", "well"] == [t.id for t in seen.things]
    assert [None, None, "bench", None] == [t.at for t in seen.things]
    assert ["keeper"] == [p.id for p in seen.people]
    assert ["rusty"] == [t.id for t in seen.holding]
    assert [("orchard", True, True), ("shed", False, False)] == [
        (way.to, way.closed, way.locked) for way in seen.exits
    ]


def test_a_way_behind_a_hidden_door_is_not_seen() -> None:
    """An exit behind a hidden door is not in the scene."""
    seen = build_scene(_change_entities(make_courtyard(), gate={"hidden": True}), PLAYER)

    assert ["shed"] == [way.to for way in seen.exits]
    assert "gate" not in [thing.id for thing in seen.things]


def test_a_character_off_stage_sees_nothing() -> None:
    """A character off stage has an empty scene."""
    seen = build_scene(_change_entities(make_courtyard(), player={"place": None}), PLAYER)

    assert seen.place is None
    assert ((), (), ()) == (seen.exits, seen.things, seen.people)
