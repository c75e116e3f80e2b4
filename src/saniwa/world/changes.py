"""Changes: what happened in the world, one small record each; changes of milestones.

A change contains the value before and after, so that a reader of the trace needs no
other source. A goal that needs several things at different times cannot be derived from
the current world; its milestones can, which are recorded as flags.
"""

from typing import Any

import msgspec

from saniwa.world.model import Entity, EntityCondition, Fact, Id, World
from saniwa.world.queries import is_closed, is_goal_reached


class _ChangeRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"):
    """The field `kind` distinguishes changes."""


class MoveChange(_ChangeRecord, frozen=True, tag="moved"):
    """An entity moved."""

    entity_id: Id
    """What moved."""
    before: Id | None
    """Where it was: a location, a holder, or None for off stage."""
    after: Id | None
    """Where it is now."""


class FieldChange(_ChangeRecord, frozen=True, tag="altered"):
    """A field of an entity changed."""

    entity_id: Id
    """The entity that changed."""
    field: str
    """Which of its fields."""
    before: Any
    """The value it had."""
    after: Any
    """The value it has now."""


class CreationChange(_ChangeRecord, frozen=True, tag="created"):
    """An entity was created."""

    entity: Entity
    """The complete entity."""


class RemovalChange(_ChangeRecord, frozen=True, tag="removed"):
    """An entity was removed."""

    entity: Entity
    """The complete entity, as it was."""


class FlagChange(_ChangeRecord, frozen=True, tag="flagged"):
    """A flag of the world changed."""

    name: str
    """Which flag."""
    before: bool | None
    """The value it had; None if it was never set."""
    after: bool
    """The value it has now."""


class SpeechChange(_ChangeRecord, frozen=True, tag="said"):
    """A character said something aloud. The world did not change."""

    actor_id: Id
    """Who spoke."""
    content: str
    """The words."""


class TurnChange(_ChangeRecord, frozen=True, tag="passed"):
    """A turn passed."""

    before: int
    """The turns passed before."""
    after: int
    """The turns passed after."""


Change = (
    MoveChange
    | FieldChange
    | CreationChange
    | RemovalChange
    | FlagChange
    | SpeechChange
    | TurnChange
)
"""One difference between two worlds; a closed union."""


def find_milestone_changes(world: World) -> tuple[FlagChange, ...]:
    """Return the flags to set now: of milestones whose facts all hold, in order.

    A goal of milestones alone that has been reached can no longer be spoiled. Takes
    time linear in the facts of the milestones that have not been passed yet.
    """
    if world.goal is None or not world.goal.milestones:
        return ()
    found: dict[str, FlagChange] = {}
    # Without a place or a thing to hold, a goal that was reached cannot be lost again.
    lasting = world.goal.location is None and world.goal.holding is None
    safe = lasting and is_goal_reached(world)
    for milestone in world.goal.milestones:
        before = world.flags.get(milestone.flag)
        if before or (milestone.spoils and safe):
            continue
        if all(is_fact_true(fact, world) for fact in milestone.facts):
            change = FlagChange(name=milestone.flag, before=before, after=True)
            found.setdefault(milestone.flag, change)
    return tuple(found.values())


def is_fact_true(fact: Fact, world: World) -> bool:
    """Whether the fact holds in this world."""
    if fact.flag and world.flags.get(fact.flag, False) is not fact.value:
        return False
    if not fact.entity:
        return True
    entity = world.entities.get(fact.entity)
    if entity is None:
        return fact.condition == "gone"
    placed = fact.place is None or entity.place == fact.place
    if fact.attribute and entity.attributes.get(fact.attribute) is not True:
        return False
    return placed and fact.condition in ("", _get_condition(entity))


def _get_condition(entity: Entity) -> EntityCondition:
    if entity.locked:
        return "locked"
    return "closed" if is_closed(entity) else "open"
