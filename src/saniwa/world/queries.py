"""Queries on a world. None of them changes anything.

Each takes time linear in the depth of nesting, not in the size of the world, unless it
says otherwise.
"""

from saniwa.world.model import NOWHERE, Entity, Id, Location, Manner, Milestone, World

_DEEPEST = 1000


def find_room(world: World, entity: Id) -> Id | None:
    """Return the location an entity is in, through all holders; None if off stage."""
    thing = world.entities.get(entity)
    # Almost always it is directly in a place.
    if thing is not None and thing.place in world.locations:
        return thing.place
    here: Id | None = entity
    for _ in range(_DEEPEST):
        if here is None or here in world.locations:
            return here
        thing = world.entities.get(here)
        here = thing.place if thing else None
    return None


def find_holder(world: World, entity: Id) -> Entity | None:
    """Return the character who holds the thing directly, or None."""
    thing = world.entities.get(entity)
    if thing is None or thing.place is None:
        return None
    holder = world.entities.get(thing.place)
    return holder if holder is not None and holder.kind == "character" else None


def is_holding(world: World, actor: Id, thing: Id) -> bool:
    """Whether the actor holds the thing directly."""
    entity = world.entities.get(thing)
    return entity is not None and entity.place == actor


def is_closed(entity: Entity) -> bool:
    """Whether it is closed, so that nothing gets in, out or through."""
    return entity.openable and not entity.open


def is_within_reach(world: World, actor: Id, target: Id) -> bool:
    """Whether the actor can perceive and touch the target now: whether it is in scope.

    In scope are the room itself, what is visible in it, what is on supporters and in
    open containers there, what characters there hold, and the doors of the room. Hidden
    things and the contents of closed containers are not.
    """
    room = find_room(world, actor)
    if room is None:
        return target == actor
    if target == room:
        return True
    entity = world.entities.get(target)
    if entity is None:
        return False
    if entity.kind == "door":
        return not entity.hidden and room in (entity.connects or ())
    return _is_unobstructed(world, entity, room)


def _is_unobstructed(world: World, entity: Entity, room: Id) -> bool:
    for _ in range(_DEEPEST):
        if entity.hidden:
            return False
        if entity.place == room:
            return True
        holder = world.entities.get(entity.place) if entity.place else None
        if holder is None or (holder.kind == "container" and is_closed(holder)):
            return False
        entity = holder
    return False


def list_scope(world: World, actor: Id) -> tuple[Id, ...]:
    """List every entity in the actor's scope, including the actor, in order of id.

    Takes time linear in the size of the scene.
    """
    room = find_room(world, actor)
    if room is None:
        return (actor,)
    found: set[Id] = set()
    waiting = [room]
    while waiting:
        for inner in world.contents.get(waiting.pop(), ()):
            entity = world.entities.get(inner)
            if entity is None or entity.hidden or inner in found:
                continue
            found.add(inner)
            if inner in world.contents and not (entity.kind == "container" and is_closed(entity)):
                waiting.append(inner)
    for wall in world.doors.get(room, ()):
        door = world.entities.get(wall)
        if door is not None and not door.hidden:
            found.add(door.id)
    return tuple(sorted(found))


def list_off_stage(world: World) -> tuple[Id, ...]:
    """List everything that is not in any location, directly or not, in order of id.

    Doors are not included. Takes time linear in the number of entities off stage.
    """
    found: set[Id] = set()
    waiting = [NOWHERE]
    while waiting:
        for inner in world.contents.get(waiting.pop(), ()):
            if inner not in found:
                found.add(inner)
                waiting.append(inner)
    return tuple(sorted(found))


def contains_entity(world: World, outer: Id, inner: Id) -> bool:
    """Whether `inner` is `outer` itself, or somewhere inside it.

    A cycle, or nesting that is too deep, counts as inside.
    """
    here: Id | None = inner
    for _ in range(_DEEPEST):
        if here == outer:
            return True
        thing = world.entities.get(here) if here is not None else None
        if thing is None:
            return False
        here = thing.place
    return True


def get_turn_actor(world: World) -> Id | None:
    """Return who must act now, or None if the scenario defines no order."""
    if not world.turn_order:
        return None
    return world.turn_order[world.time.turn % len(world.turn_order)]


def is_goal_reached(world: World) -> bool:
    """Whether the goal of the story is reached."""
    goal = world.goal
    if goal is None or (goal.flag and not world.flags.get(goal.flag, False)):
        return False
    if not all(_is_milestone_passed(world, milestone) for milestone in goal.milestones):
        return False
    if goal.location is None and goal.holding is None:
        return bool(goal.flag or goal.milestones)
    people = [e.id for e in world.list_characters() if goal.actor in (None, e.id)]
    return any(
        (goal.location is None or find_room(world, who) == goal.location)
        and (goal.holding is None or is_holding(world, who, goal.holding))
        for who in people
    )


def list_milestone_states(world: World) -> tuple[bool, ...]:
    """For each milestone that leads to the goal, return whether it was passed.

    Alternatives, which share a flag, are one milestone.
    """
    stones = () if world.goal is None else world.goal.milestones
    leading = {each.flag: each for each in stones if not each.spoils}
    return tuple(_is_milestone_passed(world, each) for each in leading.values())


def _is_milestone_passed(world: World, milestone: Milestone) -> bool:
    return world.flags.get(milestone.flag, False) is not milestone.spoils


def get_name(world: World, thing: Id) -> str:
    """Return the name of a thing or place; the id itself if it does not exist."""
    found: Entity | Location | None = world.entities.get(thing)
    found = found or world.locations.get(thing)
    return found.name if found else thing


def find_craft(world: World, name: str) -> Manner:
    """The craft of this name; one without words if no rulebook defines it."""
    return next((each for each in world.manners if each.name == name), Manner(name=name))


def find_craft_verb(world: World, name: str) -> str:
    """The verb for a craft in the world's language, else its name."""
    spoken = find_craft(world, name).get_verbs(world.language)
    return spoken[0] if spoken else name
