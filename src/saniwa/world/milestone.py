"""What has once been so on the way to the goal, and is remembered as a flag.

A goal that asks for several things at different times, or that can be spoilt for good,
cannot be read off the world as it stands; its milestones can.
"""

from saniwa.world.change import Flagged
from saniwa.world.model import Condition, Entity, Fact, World
from saniwa.world.view import closed, goal_reached


def newly_passed(world: World) -> tuple[Flagged, ...]:
    """The flags to set now: of milestones whose facts all hold, in their order.

    A goal of milestones alone that has been reached is not spoilt any more. Costs the
    facts of the milestones that have not been passed yet.
    """
    if world.goal is None or not world.goal.milestones:
        return ()
    found: dict[str, Flagged] = {}
    safe = _won(world)
    for stone in world.goal.milestones:
        before = world.flags.get(stone.flag)
        if before or (stone.spoils and safe):
            continue
        if all(holds_now(fact, world) for fact in stone.facts):
            found.setdefault(
                stone.flag, Flagged(name=stone.flag, before=before, after=True)
            )
    return tuple(found.values())


def _won(world: World) -> bool:
    """Whether the goal was reached before this moment, and cannot be left again."""
    goal = world.goal
    if goal is None or goal.location is not None or goal.holding is not None:
        return False
    return goal_reached(world)


def holds_now(fact: Fact, world: World) -> bool:
    """Whether the fact is so in this world."""
    entity = world.entities.get(fact.entity)
    if entity is None:
        return fact.condition == "gone"
    placed = fact.place is None or entity.place == fact.place
    if fact.attribute and entity.attributes.get(fact.attribute) is not True:
        return False
    return placed and fact.condition in ("", _standing(entity))


def _standing(entity: Entity) -> Condition:
    if entity.locked:
        return "locked"
    return "closed" if closed(entity) else "open"
