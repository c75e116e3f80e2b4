import msgspec

from saniwa.agent.mind.character_view import build_view
from saniwa.agent.mind.mind import MOST_MEMORIES, MindEditor, MindMemory
from saniwa.agent.mind.perception import build_opening_mind, observe_entity
from saniwa.world.model import Entity, Id
from tests.fakes.playroom_world import SALLY, make_playroom

GHOST = Id("ghost")


def _make_ghost() -> Entity:
    return Entity(id=GHOST, name="Ghost", kind="character")


def test_a_character_off_stage_perceives_nothing() -> None:
    """A character off stage perceives nothing, and the view says so."""
    mind = build_opening_mind(make_playroom("en", _make_ghost()), GHOST)

    assert (None, frozenset(), 0) == (mind.place, mind.view, len(mind.beliefs))
    assert "You are nowhere." == build_view(mind).variables["scene"]


def test_what_is_not_in_scope_is_not_noticed() -> None:
    """Hidden and distant things, the character itself and unknown ids are not noticed."""
    world = make_playroom()
    notes = MindEditor(build_opening_mind(world, SALLY), 1)
    for thing in ("ring", "coin", "sally", "nothing"):
        observe_entity(notes, world, Id(thing))
    notes.infer_place(Id("coin"), Id("room"))
    notes.forget_entity(Id("coin"))
    notes.learn_place(world, Id("nowhere"))

    assert build_opening_mind(world, SALLY) == notes.build_mind(world)


def test_memories_beyond_the_limit_are_folded() -> None:
    """Memories over the limit are summarised, and all are counted."""
    world = make_playroom()
    notes = MindEditor(build_opening_mind(world, SALLY), 1)
    for number in range(MOST_MEMORIES + 7):
        notes.remember(MindMemory(at=number, text=f"deed {number}"))
    mind = notes.build_mind(world)

    assert (MOST_MEMORIES, 7) == (len(mind.memories), mind.digest.count)
    assert "deed 7" == mind.memories[0].text


def test_ones_own_looks_and_condition_are_known() -> None:
    """A change of the character's own condition is noticed."""
    world = make_playroom()
    notes = MindEditor(build_opening_mind(world, SALLY), 1)
    own = msgspec.structs.replace(world.entities[SALLY], status=("tired",))
    changed = msgspec.structs.replace(world, entities=world.entities.set(SALLY, own))

    assert ("tired",) == notes.build_mind(changed).status
