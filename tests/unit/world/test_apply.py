from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from saniwa.world.actions import Action, Use
from saniwa.world.apply import apply_action, pass_turn
from saniwa.world.changes import (
    CreationChange,
    FieldChange,
    FlagChange,
    MoveChange,
    RemovalChange,
    SpeechChange,
)
from saniwa.world.effects import (
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    SetEffect,
)
from saniwa.world.fingerprint import build_world, compute_digest, compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.snapshot import find_broken_invariants, restore_world, take_snapshot
from tests.fakes.worlds import make_courtyard


def _apply_wire(world: World, **wire: Any) -> tuple[World, tuple[Any, ...]]:
    action: Action = msgspec.convert({"actorId": "player"} | wire, Action)
    after, changes = apply_action(action, world)
    assert () == find_broken_invariants(after)
    return after, changes


def test_taking_moves_the_item_into_the_hand() -> None:
    """A taken thing leaves its place and is held by the taker."""
    world, changes = _apply_wire(make_courtyard(), type="take", targetId="key")

    assert (MoveChange(entity_id=Id("key"), before=Id("bench"), after=Id("player")),) == changes
    assert (Id("key"),) == world.list_contents(Id("player"))
    assert () == world.list_contents(Id("bench"))


def test_the_given_world_stays_as_it_was() -> None:
    """Applying an action returns a new world and does not change the old one."""
    before = make_courtyard()
    mark = compute_fingerprint(before)

    _apply_wire(before, type="take", targetId="key")

    assert mark == compute_fingerprint(before)
    assert Id("bench") == before.entities[Id("key")].place


def test_dropping_lays_the_item_where_one_is() -> None:
    """A dropped thing is in the dropper's room."""
    world, _ = _apply_wire(make_courtyard(), type="take", targetId="key")
    world, _ = _apply_wire(world, type="drop", targetId="key")

    assert Id("yard") == world.entities[Id("key")].place


def test_putting_and_giving_move_the_item() -> None:
    """Put moves a thing to its destination, give to its recipient."""
    world, _ = _apply_wire(make_courtyard(), type="put", targetId="key", destinationId="chest")
    assert Id("chest") == world.entities[Id("key")].place

    world, _ = _apply_wire(world, type="give", targetId="key", recipientId="keeper")
    assert (Id("key"),) == world.list_contents(Id("keeper"))


def test_opening_a_locked_container_unlocks_it_on_the_way() -> None:
    """Opening a locked thing also unlocks it."""
    world, changes = _apply_wire(make_courtyard(), type="open", targetId="gate")

    assert ["locked", "open"] == [c.field for c in changes if isinstance(c, FieldChange)]
    assert world.entities[Id("gate")].open


def test_close_lock_unlock_set_one_field_each() -> None:
    """Closing, locking and unlocking each change one field."""
    world, _ = _apply_wire(make_courtyard(), type="unlock", targetId="gate")
    assert not world.entities[Id("gate")].locked
    assert not world.entities[Id("gate")].open

    world, _ = _apply_wire(world, type="lock", targetId="gate")
    assert world.entities[Id("gate")].locked

    world, _ = _apply_wire(world, type="open", targetId="gate")
    world, changes = _apply_wire(world, type="close", targetId="gate")
    assert 1 == len(changes)


def test_what_is_already_so_changes_nothing() -> None:
    """An action without an effect records no change."""
    _, changes = _apply_wire(make_courtyard(), type="move", targetId="yard")

    assert () == changes


def test_an_eaten_item_is_gone() -> None:
    """Eating removes the thing from the world."""
    world, changes = _apply_wire(make_courtyard(), type="eat", targetId="loaf")

    assert isinstance(changes[0], RemovalChange)
    assert Id("loaf") not in world.entities


def test_searching_a_place_reveals_what_is_hidden_there() -> None:
    """Searching a place reveals what is hidden there, and nothing elsewhere."""
    world, changes = _apply_wire(make_courtyard(), type="search", targetId="shed")

    assert not world.entities[Id("ring")].hidden
    assert 1 == len(changes)


def test_searching_a_room_finds_its_hidden_doors() -> None:
    """Searching a room reveals its hidden doors."""
    world = make_courtyard()
    gate = msgspec.structs.replace(world.entities[Id("gate")], hidden=True)
    others = [e for e in world.entities.values() if e.id != "gate"]
    secret = build_world([*others, gate], [*world.locations.values()])

    found, _ = _apply_wire(secret, type="search", targetId="yard")

    assert not found.entities[Id("gate")].hidden


def test_describing_sets_the_description_and_nothing_else() -> None:
    """Describing changes the description and nothing else."""
    world, changes = _apply_wire(make_courtyard(), type="describe", targetId="well", content="deep")

    assert "deep" == world.entities[Id("well")].description
    assert ["description"] == [c.field for c in changes]


def test_introducing_creates_an_entity_in_the_room() -> None:
    """A new entity is in the room of its introducer, under a free id."""
    metadata = {"name": "brass key", "description": "another"}
    world, changes = _apply_wire(make_courtyard(), type="introduce", metadata=metadata)
    assert isinstance(changes[0], CreationChange)
    assert Id("yard") == world.entities[Id("brass key")].place

    world, _ = _apply_wire(world, type="introduce", metadata=metadata)
    assert Id("brass key#2") in world.entities


def test_free_metadata_becomes_the_new_entity_s_attributes() -> None:
    """An introduced entity keeps the introducer's metadata as attributes, also in a snapshot."""
    facts = {"colour": "red", "age": 3, "likes": ["milk"], "home": {"town": "Bern"}}
    metadata = {"name": "Tom", "kind": "character", **facts}
    world, _ = _apply_wire(make_courtyard(), type="introduce", metadata=metadata)

    assert facts == world.entities[Id("Tom")].attributes
    assert world == restore_world(take_snapshot(world))


def test_a_name_introduced_many_times_is_found_free_at_once() -> None:
    """The thousandth entity of a name gets the next number after few lookups."""
    world = make_courtyard()
    for _ in range(1_000):
        world, _ = apply_action(_make_introduction(), world)
    counted = _CountedEntities(world.entities)

    _, (change,) = apply_action(_make_introduction(), replace(world, entities=counted))

    assert isinstance(change, CreationChange)
    assert Id("egg#1001") == change.entity.id
    assert 40 > counted.asked


class _CountedEntities(dict[Id, Any]):
    """Entities that count how often they are looked up."""

    asked = 0

    def __contains__(self, key: object) -> bool:
        self.asked += 1
        return super().__contains__(key)

    def set(self, key: Id, value: Any) -> "_CountedEntities":
        return _CountedEntities({**self, key: value})


def _make_introduction() -> Action:
    wire = {"type": "introduce", "actorId": "player", "metadata": {"name": "egg"}}
    action: Action = msgspec.convert(wire, Action)
    return action


def test_introducing_a_known_person_brings_them_into_the_scene() -> None:
    """An entity from elsewhere comes to the introducer's room."""
    world, changes = _apply_wire(make_courtyard(), type="introduce", targetId="rusty")

    assert (MoveChange(entity_id=Id("rusty"), before=Id("shed"), after=Id("yard")),) == changes
    assert Id("rusty") in world.list_contents(Id("yard"))


def test_using_has_the_effect_the_author_wrote() -> None:
    """`attributes.use` names the new state and the flags that using sets."""
    world = make_courtyard()
    well = msgspec.structs.replace(
        world.entities[Id("well")],
        attributes={"use": {"state": ["drawn"], "flags": {"water": True}}},
    )
    world = replace(world, entities=world.entities.set(well.id, well))
    world = replace(world, digest=compute_digest(world))

    after, changes = _apply_wire(world, type="use", targetId="well")
    again, none = _apply_wire(after, type="use", targetId="well")

    assert ("drawn",) == after.entities[Id("well")].state
    assert FlagChange(name="water", before=None, after=True) in changes
    assert () == none
    assert after.flags == again.flags


def test_speech_is_a_happening_but_changes_no_fact() -> None:
    """Speech is recorded as a change, and does not change the world's fingerprint."""
    world, changes = _apply_wire(make_courtyard(), type="speak", content="hello")

    assert (SpeechChange(actor_id=Id("player"), content="hello"),) == changes
    assert compute_fingerprint(make_courtyard()) == compute_fingerprint(world)


@pytest.mark.parametrize(
    "wire", [{"type": "look"}, {"type": "wait"}, {"type": "inspect", "targetId": "well"}]
)
def test_looking_and_waiting_change_nothing(wire: dict[str, str]) -> None:
    """Looking, waiting and the like change nothing."""
    assert () == _apply_wire(make_courtyard(), **wire)[1]


def test_a_passed_turn_moves_the_clock_only() -> None:
    """A passed turn adds one to the turn count and changes no fact."""
    world = pass_turn(make_courtyard()).world

    assert 1 == world.time.turn
    assert compute_fingerprint(make_courtyard()) == compute_fingerprint(world)


def test_an_unjudged_action_never_reaches_the_world() -> None:
    """Applying an impossible action fails."""
    with pytest.raises(AssertionError):
        _apply_wire(make_courtyard(), type="take", targetId="no such thing")


def _apply_craft(world: World, *effects: Effect) -> tuple[World, tuple[Any, ...]]:
    action = Use(actor_id=Id("player"), target_id=Id("loaf"), manner="slice")
    after, changes = apply_action(action, world, effects)
    assert () == find_broken_invariants(after)
    return after, changes


def test_a_craft_sets_facts_and_forgets_them() -> None:
    """A craft sets fields and attributes; null removes one, and equal values are not recorded."""
    loaf = Id("loaf")
    once, _ = _apply_craft(
        make_courtyard(), SetEffect(entity_id=loaf, facts={"raw": True, "uncut": True})
    )
    twice, changes = _apply_craft(
        once, SetEffect(entity_id=loaf, facts={"uncut": None, "state": ["cut"], "edible": True})
    )

    assert {"raw": True} == twice.entities[loaf].attributes
    assert ("cut",) == twice.entities[loaf].state
    assert ["state", "attributes"] == [change.field for change in changes]


def test_a_craft_removes_brings_dismisses_and_flags_in_order() -> None:
    """Each effect of a craft applies to the world after the previous one."""
    coin, chest, key = Id("coin"), Id("chest"), Id("key")
    world, changes = _apply_craft(
        make_courtyard(),
        BringEffect(entity_id=coin),
        RemoveEffect(entity_id=chest),
        DismissEffect(entity_id=key),
        FlagEffect(name="robbed"),
    )

    assert [MoveChange, RemovalChange, MoveChange, FlagChange] == [
        type(change) for change in changes
    ]
    assert (coin,) == world.list_contents(Id("player"))
    assert chest not in world.entities
    assert world.entities[key].place is None
    assert world.flags["robbed"] is True


def test_a_craft_leaves_plain_using_alone() -> None:
    """A craft does not have the effects written under `use`."""
    world = make_courtyard()
    loaf = replace(world.entities[Id("loaf")], attributes={"use": {"state": ["eaten"]}})
    world = replace(world, entities=world.entities.set(loaf.id, loaf))
    world = replace(world, digest=compute_digest(world))

    assert () == _apply_craft(world)[1]
