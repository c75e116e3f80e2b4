"""Questions back to the speaker: which of these, and what is missing.

Options come in order of id, under labels people can tell apart.
"""

from collections.abc import Iterable

from saniwa.turn.languages.tongue import told, verb
from saniwa.turn.manners import verb_for
from saniwa.turn.refer import fits
from saniwa.turn.trace import Clarification, Option, Words
from saniwa.turn.way import tell_way, ways_out
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import holder_of, name_of, scope

MOST_OPTIONS = 20
"""Options a question offers."""
_ANYTHING = frozenset({"use", "inspect", "search", "describe", "introduce"})
"""What can be done to anything: that only one thing is here says nothing."""


def empty_question(world: World) -> Clarification:
    """What to ask when nothing was said."""
    return Clarification(code="EMPTY_INPUT", question=told(world.language, "ask.empty"))


def ask_which(
    action: str, role: str, said: str, ids: Iterable[Id], words: Words, world: World
) -> Clarification:
    """Which of several was meant."""
    return Clarification(
        code="AMBIGUOUS_REFERENCE",
        question=told(world.language, "ask.which", words=said),
        words=said,
        field=_wire(role),
        options=_options(action, ids, words.actor_id, world),
    )


def ask_for(
    action: str, role: str, said: str, words: Words, world: World, manner: str = ""
) -> Clarification:
    """What is missing, or what a pronoun stands for; with what would do."""
    ids = _plausible(action, role, words.actor_id, world)
    if said.strip():
        question = told(world.language, "ask.pronoun", words=said)
    else:
        question = _question(action, role, world, manner)
    return Clarification(
        code="MISSING_REFERENCE",
        question=question,
        words=said,
        field=_wire(role),
        options=_options(action, ids, words.actor_id, world),
    )


def the_only(action: str, role: str, words: Words, world: World) -> Id | None:
    """What anyone would mean who leaves the role out, where only one thing will do."""
    if action in _ANYTHING and role == "target_id":
        return None
    ids = set(_plausible(action, role, words.actor_id, world))
    return ids.pop() if len(ids) == 1 else None


def _wire(role: str) -> str:
    return role.removesuffix("_id") + "Id" if role.endswith("_id") else role


def _question(action: str, role: str, world: World, manner: str) -> str:
    language = world.language
    if action == "move":
        return told(language, "ask.place")
    if role == "target_id":
        asked = verb_for(world, manner) if manner else verb(language, action)
        return told(language, "ask.target", verb=asked)
    line = "ask." + role.removesuffix("_id")
    known = ("ask.destination", "ask.recipient", "ask.content")
    return told(language, line if line in known else "ask.other")


def _plausible(action: str, role: str, actor: Id, world: World) -> list[Id]:
    """What anyone would think of first; costs the size of the scene."""
    if role == "content":
        return []
    if action == "move":
        return [way.to for way in ways_out(world, actor)]
    around = [
        world.entities[e]
        for e in scope(world, actor)
        if e in world.entities and e != actor
    ]
    held = [e for e in around if e.place == actor]
    if role == "tool_id" or (role == "target_id" and action in ("drop", "put", "give")):
        return [e.id for e in held]
    if role == "target_id" and action == "take":
        return [e.id for e in around if e.takeable and not holder_of(world, e.id)]
    wishes = fits(action, role, world, actor) if action != "use" else []
    return [e.id for e in around if all(wish(e) for wish in wishes)]


def _options(
    action: str, ids: Iterable[Id], actor: Id, world: World
) -> tuple[Option, ...]:
    unique = sorted(set(ids))[:MOST_OPTIONS]
    if action == "move":
        return _way_options(unique, actor, world)
    names = [name_of(world, i) for i in unique]
    labels = [
        _whereabouts(world, actor, i) if names.count(name) > 1 else name
        for i, name in zip(unique, names, strict=True)
    ]
    return tuple(Option(id=i, label=_numbered(labels, n)) for n, i in enumerate(unique))


def _numbered(labels: list[str], number: int) -> str:
    label = labels[number]
    if labels.count(label) == 1:
        return label
    return f"{label} #{labels[: number + 1].count(label)}"


def _way_options(ids: list[Id], actor: Id, world: World) -> tuple[Option, ...]:
    # In mid-sentence a door may stand open that is still shut: its state is not said.
    ways = reversed(ways_out(world, actor))
    labels = {way.to: tell_way(world, way, with_state=False) for way in ways}
    return tuple(Option(id=i, label=labels.get(i) or name_of(world, i)) for i in ids)


def _whereabouts(world: World, actor: Id, thing: Id) -> str:
    entity = world.entities[thing]
    holder = world.entities.get(entity.place) if entity.place else None
    line = _at(entity, holder, actor)
    return told(
        world.language, line, name=entity.name, holder=holder.name if holder else ""
    )


def _at(entity: Entity, holder: Entity | None, actor: Id) -> str:
    if entity.place == actor:
        return "at.held_by_you"
    if holder is None:
        return "at.here"
    kinds = {"character": "at.held", "container": "at.in", "supporter": "at.on"}
    return kinds.get(holder.kind, "at.here")
