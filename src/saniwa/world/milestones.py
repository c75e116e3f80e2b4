"""Milestones: facts that held at some time on the way to the goal, recorded as flags.

A goal that needs several things at different times, or that can be spoiled for good,
cannot be derived from the current world; its milestones can.
"""

from saniwa.world.changes import FlagChange
from saniwa.world.model import Entity, EntityCondition, Fact, World
from saniwa.world.view import is_closed, is_goal_reached


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
