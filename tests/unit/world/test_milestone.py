from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from saniwa.world.actions import Action
from saniwa.world.apply import apply_action
from saniwa.world.changes import FlagChange, find_milestone_changes, is_fact_true
from saniwa.world.fingerprint import compute_world_hash
from saniwa.world.model import Fact, Goal, Id, Milestone, World
from saniwa.world.queries import is_goal_reached
from saniwa.world.snapshot import restore_world, take_snapshot
from tests.fakes.worlds import make_courtyard

_HELD = Milestone(flag="held", facts=(Fact(entity=Id("key"), place=Id("player")),))
_STORED = Milestone(flag="stored", facts=(Fact(entity=Id("key"), place=Id("chest")),))


def _make_with_milestones(*stones: Milestone, **goal: Any) -> World:
    return replace(make_courtyard(), goal=Goal(milestones=stones, **goal))


def _apply_wire(world: World, **wire: Any) -> tuple[World, tuple[Any, ...]]:
    action: Action = msgspec.convert({"actorId": "player"} | wire, Action)
    after, changes = apply_action(action, world)
    return after, changes


def test_a_milestone_is_remembered_when_it_is_no_longer_so() -> None:
    """A milestone once reached counts, even if it is no longer true."""
    world, changes = _apply_wire(_make_with_milestones(_HELD), type="take", targetId="key")
    later, more = _apply_wire(world, type="drop", targetId="key")

    assert FlagChange(name="held", before=None, after=True) == changes[-1]
    assert not any(isinstance(change, FlagChange) for change in more)
    assert is_goal_reached(later)


def test_a_goal_needs_every_milestone() -> None:
    """A goal needs all of its milestones."""
    world, _ = _apply_wire(_make_with_milestones(_HELD, _STORED), type="take", targetId="key")
    assert not is_goal_reached(world)

    world, _ = _apply_wire(world, type="put", targetId="key", destinationId="chest")
    assert is_goal_reached(world)


def test_milestones_with_one_flag_are_alternatives() -> None:
    """Two milestones with the same flag are alternatives."""
    other = replace(_STORED, flag="held")
    world, _ = _apply_wire(_make_with_milestones(_HELD, other), type="take", targetId="key")

    assert is_goal_reached(world)


def test_a_milestone_that_spoils_ends_all_hope() -> None:
    """After a milestone that spoils the goal, it cannot be reached any more."""
    spoilt = replace(_STORED, spoils=True)
    world, _ = _apply_wire(
        _make_with_milestones(_HELD, spoilt), type="put", targetId="key", destinationId="chest"
    )
    world, _ = _apply_wire(world, type="take", targetId="key")

    assert {"held": True, "stored": True} == {
        name: world.flags[name] for name in ("held", "stored")
    }
    assert not is_goal_reached(world)


def test_what_is_won_is_not_damaged_any_more() -> None:
    """A goal that has been reached cannot be spoilt."""
    spoilt = replace(_STORED, spoils=True)
    world, _ = _apply_wire(_make_with_milestones(_HELD, spoilt), type="take", targetId="key")
    world, changes = _apply_wire(world, type="put", targetId="key", destinationId="chest")

    assert not any(isinstance(change, FlagChange) for change in changes)
    assert is_goal_reached(world)


def test_a_goal_that_can_be_left_again_can_be_damaged() -> None:
    """A goal that also names a place can be spoilt even while the actor is there."""
    spoilt = replace(_STORED, spoils=True)
    world, _ = _apply_wire(
        _make_with_milestones(_HELD, spoilt, location=Id("yard")), type="take", targetId="key"
    )
    assert is_goal_reached(world)

    world, _ = _apply_wire(world, type="put", targetId="key", destinationId="chest")
    assert not is_goal_reached(world)


def test_milestones_come_on_top_of_the_other_parts_of_a_goal() -> None:
    """A goal with milestones also needs the place it names."""
    world, _ = _apply_wire(
        _make_with_milestones(_HELD, location=Id("shed")), type="take", targetId="key"
    )

    assert not is_goal_reached(world)


@pytest.mark.parametrize(
    ("facts", "so"),
    [
        ({"place": "chest"}, False),
        ({"place": "yard"}, True),
        ({"condition": "open"}, False),
        ({"condition": "closed"}, True),
        ({"condition": "locked"}, False),
        ({"condition": "gone"}, False),
        ({"condition": "closed", "place": "shed"}, False),
    ],
)
def test_a_fact_is_so_when_all_of_it_is(facts: dict[str, Any], so: bool) -> None:
    """A fact is true if its place and its condition both are."""
    fact = msgspec.convert({"entity": "chest"} | facts, Fact)
    chest = replace(
        make_courtyard().entities[Id("chest")], place=Id("yard"), locked=False, open=False
    )
    world = replace(make_courtyard(), entities=make_courtyard().entities.set(Id("chest"), chest))

    assert so == is_fact_true(fact, world)


def test_what_is_not_in_the_world_is_gone_and_nothing_else() -> None:
    """A removed thing is `gone`; it is in no place, and neither open nor closed."""
    gone = Id("no such thing")

    assert is_fact_true(Fact(entity=gone, condition="gone"), make_courtyard())
    assert not is_fact_true(Fact(entity=gone, condition="open"), make_courtyard())
    assert not is_fact_true(Fact(entity=gone, place=Id("yard")), make_courtyard())


def test_a_world_without_milestones_passes_none() -> None:
    """A world without milestones sets no flags for them."""
    assert () == find_milestone_changes(replace(make_courtyard(), goal=None))
    assert () == find_milestone_changes(replace(make_courtyard(), goal=Goal(flag="lit")))


def test_milestones_enter_the_hash_only_where_there_are_some() -> None:
    """Milestones change the world hash; worlds without them keep the published one."""
    bare, one, two = (
        _make_with_milestones(),
        _make_with_milestones(_HELD),
        _make_with_milestones(_STORED),
    )

    assert 3 == len({compute_world_hash(w) for w in (bare, one, two)})


def test_milestones_survive_a_snapshot() -> None:
    """A restored world has the same goal."""
    world = _make_with_milestones(_HELD, replace(_STORED, spoils=True))

    assert world.goal == restore_world(take_snapshot(world)).goal


def test_a_fact_may_ask_for_one_of_the_authors_own() -> None:
    """A fact about an attribute is true only if the attribute is, and the thing still exists."""
    world = make_courtyard()
    loaf = world.entities[Id("loaf")]
    sliced = replace(loaf, attributes={"sliced": True, "raw": "true"})
    world = replace(world, entities=world.entities.set(loaf.id, sliced))

    def is_so(attribute: str, **more: Any) -> bool:
        return is_fact_true(Fact(entity=Id("loaf"), attribute=attribute, **more), world)

    assert is_so("sliced")
    assert not is_so("raw")
    assert not is_so("fried")
    assert not is_so("sliced", place=Id("yard"))
    assert not is_fact_true(Fact(entity=Id("dragon"), attribute="sliced"), world)
