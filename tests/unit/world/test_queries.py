import msgspec
import pytest

from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Goal, Id, Location, Time, World
from saniwa.world.queries import (
    contains_entity,
    find_holder,
    find_room,
    get_name,
    get_turn_actor,
    is_goal_reached,
    is_holding,
    is_within_reach,
    list_off_stage,
    list_scope,
)
from tests.fakes.worlds import PLAYER, make_courtyard


def _change_entities(world: World, *changed: Entity, **facts: object) -> World:
    entities = {e.id: e for e in world.entities.values()} | {e.id: e for e in changed}
    return build_world(
        [*entities.values()],
        [*world.locations.values()],
        **({"time": world.time, "goal": world.goal} | facts),  # type: ignore[arg-type]
    )


def _move_entity(world: World, thing: str, place: str | None) -> World:
    entity = world.entities[Id(thing)]
    return _change_entities(world, msgspec.structs.replace(entity, place=place))


def test_an_item_is_in_the_room_of_whatever_holds_it() -> None:
    """A thing is in the room of its container or holder; one that is nowhere has no room."""
    assert Id("shed") == find_room(make_courtyard(), Id("coin"))
    assert find_room(make_courtyard(), Id("gate")) is None
    assert find_room(make_courtyard(), Id("nobody")) is None


def test_only_a_character_is_a_holder() -> None:
    """Only a character holds things; a bench does not."""
    held = _move_entity(make_courtyard(), "key", "player")

    assert find_holder(make_courtyard(), Id("key")) is None
    assert PLAYER == (find_holder(held, Id("key")) or make_courtyard()).id  # type: ignore[union-attr]
    assert is_holding(held, PLAYER, Id("key"))
    assert not is_holding(make_courtyard(), PLAYER, Id("key"))
    assert find_holder(make_courtyard(), Id("nothing")) is None


def test_scope_is_what_is_open_here() -> None:
    """In scope are the room's things, people, things on supporters, and doors."""
    assert ("bench", "gate", "keeper", "key", "player", "well") == list_scope(
        make_courtyard(), PLAYER
    )


def test_closed_containers_and_hidden_items_are_out_of_scope() -> None:
    """Things in closed containers and hidden things are out of scope."""
    inside = _move_entity(make_courtyard(), "player", "shed")
    assert ("chest", "loaf", "player", "rusty") == list_scope(inside, PLAYER)

    chest = msgspec.structs.replace(inside.entities[Id("chest")], open=True)
    assert "coin" in list_scope(_change_entities(inside, chest), PLAYER)


@pytest.mark.parametrize("place", ["yard", "shed", "orchard", None])
def test_reach_and_scope_agree(place: str | None) -> None:
    """Checking one entity gives the same answer as listing the scope."""
    world = _move_entity(make_courtyard(), "player", place)
    reached = {e for e in world.entities if is_within_reach(world, PLAYER, e)}

    assert set(list_scope(world, PLAYER)) == reached


def test_the_room_itself_is_in_reach_and_others_are_not() -> None:
    """A character's own room is in reach, other rooms are not."""
    assert is_within_reach(make_courtyard(), PLAYER, Id("yard"))
    assert not is_within_reach(make_courtyard(), PLAYER, Id("shed"))
    assert not is_within_reach(make_courtyard(), PLAYER, Id("nothing"))


def test_containing_reaches_through_every_depth() -> None:
    """A container contains everything inside it at any depth, and itself."""
    assert contains_entity(make_courtyard(), Id("chest"), Id("coin"))
    assert contains_entity(make_courtyard(), Id("chest"), Id("chest"))
    assert not contains_entity(make_courtyard(), Id("coin"), Id("chest"))


def test_questions_about_a_ring_of_boxes_end() -> None:
    """A cycle of containers makes no query hang."""
    a = Entity(id=Id("a"), name="a", kind="container", place=Id("b"))
    b = Entity(id=Id("b"), name="b", kind="container", place=Id("a"))
    you = Entity(id=PLAYER, name="you", kind="character", place=Id("r"))
    world = build_world([a, b, you], [Location(id=Id("r"), name="r")])

    assert find_room(world, Id("a")) is None
    assert not is_within_reach(world, PLAYER, Id("a"))
    assert contains_entity(world, Id("zz"), Id("a"))


def test_the_turn_order_goes_round() -> None:
    """The turn order follows from the number of turns passed, and repeats."""
    order = (Id("player"), Id("keeper"))
    turns = [
        _change_entities(make_courtyard(), turn_order=order, time=Time(turn=n)) for n in range(3)
    ]

    assert ["player", "keeper", "player"] == [get_turn_actor(w) for w in turns]
    assert get_turn_actor(make_courtyard()) is None


@pytest.mark.parametrize(
    ("goal", "reached"),
    [
        (Goal(location=Id("yard")), True),
        (Goal(location=Id("yard"), actor=Id("keeper")), True),
        (Goal(location=Id("shed")), False),
        (Goal(holding=Id("key")), False),
        (Goal(flag="won"), False),
        (Goal(flag="lit"), True),
        (Goal(flag="lit", location=Id("yard")), True),
        (Goal(), False),
        (None, False),
    ],
)
def test_a_goal_is_reached_when_all_it_asks_for_is_true(goal: Goal | None, reached: bool) -> None:
    """A goal needs the place, the thing and the flag that it names."""
    world = _change_entities(make_courtyard(), goal=goal, flags={"lit": True})

    assert reached == is_goal_reached(world)


def test_names_are_for_people() -> None:
    """A name is shown for a thing or place, and the id for what does not exist."""
    assert ["brass key", "Yard", "zz"] == [
        get_name(make_courtyard(), Id(i)) for i in ("key", "yard", "zz")
    ]


def test_a_hidden_door_is_no_door_yet() -> None:
    """A hidden door is not in scope."""
    world = make_courtyard()
    gate = msgspec.structs.replace(world.entities[Id("gate")], hidden=True)

    assert "gate" not in list_scope(_change_entities(world, gate), PLAYER)
    assert not is_within_reach(_change_entities(world, gate), PLAYER, Id("gate"))


def test_a_door_is_in_scope_from_both_sides() -> None:
    """A door in a one-way exit is in scope from both sides."""
    near, far = Id("near"), Id("far")
    door = Entity(id=Id("door"), name="door", kind="door", connects=(near, far))
    you = Entity(id=PLAYER, name="you", kind="character", place=far)
    world = build_world(
        [door, you],
        [
            Location(id=near, name="near", exits=(Exit(to=far, door=door.id),)),
            Location(id=far, name="far"),
        ],
    )

    assert ("door", "player") == list_scope(world, PLAYER)
    assert is_within_reach(world, PLAYER, door.id)


def test_off_stage_is_whatever_no_place_holds() -> None:
    """A character off stage and what it holds are off stage; doors never are."""
    gone = _move_entity(_move_entity(make_courtyard(), "key", "player"), "player", None)

    assert () == list_off_stage(make_courtyard())
    assert ("key", "player") == list_off_stage(gone)
