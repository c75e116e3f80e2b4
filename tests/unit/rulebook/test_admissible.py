from immutables import Map
from msgspec.structs import replace

from saniwa.rulebook.judge import find_admissible_actions
from saniwa.world.actions import Introduce, Look, Move, Take, Wait, get_action_type
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location
from tests.fakes.books import DEFAULT, build_book, make_rule
from tests.fakes.worlds import PLAYER, make_courtyard


def test_types_come_in_order_and_fields_left_out_come_first() -> None:
    """The list is sorted by type, then by fields, with an omitted field first."""
    listed = find_admissible_actions(make_courtyard(), PLAYER, DEFAULT)
    takes = [action for action in listed if isinstance(action, Take)]

    assert [None, Id("bench")] == [take.source_id for take in takes]
    assert sorted(get_action_type(a) for a in listed) == [get_action_type(a) for a in listed]


def test_what_needs_words_of_ones_own_is_not_listed() -> None:
    """Speech, descriptions and introductions of something new are not listed."""
    free = find_admissible_actions(make_courtyard(), PLAYER, build_book())
    kinds = {get_action_type(action) for action in free}
    brought = [a.target_id for a in free if isinstance(a, Introduce)]

    assert not {"speak", "describe"} & kinds
    assert brought
    assert set(brought) <= set(make_courtyard().entities)


def test_no_actor_may_do_nothing() -> None:
    """An actor that does not exist has no actions, whatever the book."""
    assert () == find_admissible_actions(make_courtyard(), Id("ghost"), build_book())


def test_an_actor_off_stage_can_still_wait() -> None:
    """An actor off stage can still wait and look, and causes no error."""
    me = Entity(id=PLAYER, name="me", kind="character")
    world = build_world([me], [])
    listed = find_admissible_actions(world, PLAYER, DEFAULT)
    idle = build_book(make_rule("*", {"not": {"given": "target"}}))

    assert {"inspect", "look", "use", "wait"} == {get_action_type(action) for action in listed}
    assert (Look(actor_id=PLAYER), Wait(actor_id=PLAYER)) == find_admissible_actions(
        world, PLAYER, idle
    )


def test_a_ring_of_containers_contains_everything() -> None:
    """In a cycle of containers, the list gives every container as a source."""
    ring = [Entity(id=Id(a), name=a, place=Id(b)) for a, b in ("xy", "yx")]
    me = Entity(id=PLAYER, name="me", kind="character", place=Id("room"))
    world = build_world([me, *ring], [Location(id=Id("room"), name="Room")])
    inside = {"contains": {"outerRole": "source", "innerRole": "target"}}
    only = {"eq": {"role": "target", "attribute": "id", "value": "x"}}
    listed = find_admissible_actions(world, PLAYER, build_book(make_rule("take", inside, only)))

    assert {"player", "room", "x", "y"} == {
        action.source_id for action in listed if isinstance(action, Take)
    }


def test_a_door_is_listed_from_its_far_side() -> None:
    """A door is in scope from both sides, also if only one has the exit."""
    door = Entity(
        id=Id("door"), name="door", kind="door", openable=True, connects=(Id("a"), Id("b"))
    )
    me = Entity(id=PLAYER, name="me", kind="character", place=Id("b"))
    rooms = [
        Location(id=Id("a"), name="A", exits=(Exit(to=Id("b"), door=Id("door")),)),
        Location(id=Id("b"), name="B"),
    ]
    listed = find_admissible_actions(build_world([me, door], rooms), PLAYER, DEFAULT)

    assert "close" in {get_action_type(action) for action in listed}


def test_a_world_out_of_step_raises_nothing() -> None:
    """Contents that name missing entities are skipped."""
    world = replace(make_courtyard(), contents=Map({Id("yard"): Map({Id("ghost"): None})}))

    assert Move(actor_id=PLAYER, target_id=Id("shed")) in find_admissible_actions(
        world, PLAYER, DEFAULT
    )


def test_without_a_book_the_default_one_holds() -> None:
    """Without a book, the default book decides."""
    assert find_admissible_actions(make_courtyard(), PLAYER, DEFAULT) == find_admissible_actions(
        make_courtyard(), PLAYER
    )
