"""The plain narrator: turns into lines of story, from templates, in English and Japanese.

It tells what happened and what can be seen, and decides nothing. Refusals come from the
rulebook in their own words.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, assert_never

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.languages.tongue import grammar, plan, told
from saniwa.turn.manners import plan_craft, tell_craft
from saniwa.turn.own_words import claims_of_actions, is_pronoun
from saniwa.turn.play import worlds_after
from saniwa.turn.refusal import Refusals, in_own_words
from saniwa.turn.sight import (
    Line,
    called,
    describe_room,
    inside,
    joined,
    list_inventory,
    list_things,
    the,
)
from saniwa.turn.trace import Clarification, Rejection, Turn, claims_behind
from saniwa.turn.witnessed import witnessed
from saniwa.world import action as act
from saniwa.world.canonical import DEFAULT_STATE
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import closed, goal_reached, name_of, room_of

__all__ = [
    "Line",
    "describe_room",
    "list_inventory",
    "narrate",
    "number_options",
    "tell_action",
]


class _Scene(NamedTuple):
    """One action with the worlds around it, and who is watching."""

    before: World
    after: World
    viewer: Id

    def told(self, line: str, actor: Id, **fields: str) -> str:
        """The sentence for the viewer: "you take" or "she takes"."""
        if actor != self.viewer:
            line, fields = f"{line}.they", {"who": self.the(actor), **fields}
        return told(self.after.language, line, **fields)

    def the(self, thing: Id) -> str:
        """What the viewer calls it."""
        return the(self.after, thing, self.viewer)


def narrate(
    turn: Turn, before: World, after: World, viewer: Id | None = None
) -> tuple[Line, ...]:
    """The turn as lines of story for whoever watches; the actor, if nobody is named.

    What happens where the viewer is not is not told, except that people come and go;
    nor is anything that came to nothing, but to the actor.
    """
    watcher = viewer or turn.actor_id
    turn = witnessed(turn, watcher)
    if turn.clarification is not None:
        return (Line(text=turn.clarification.question),)
    lines = [*_passages(turn, before, watcher)]
    if goal_reached(after) and not goal_reached(before):
        own = after.goal.message if after.goal else ""
        lines.append(Line(text=own or told(after.language, "goal")))
    return tuple(lines)


def number_options(question: Clarification) -> tuple[Line, ...]:
    """The options of a question as numbered lines, for hosts that show only text."""
    return tuple(
        Line(text=f"  {number}. {option.label}")
        for number, option in enumerate(question.options, start=1)
    )


def tell_action(
    action: act.Action, world: World, words: Mapping[str, str] | None = None
) -> str:
    """The action in a few plain words, such as "take the brass key".

    Words for a role stand in place of the world's name for what fills it.
    """
    roles = [r for r in action.roles if getattr(action, r) is not None]
    fields: dict[str, str] = {r: the(world, getattr(action, r)) for r in roles}
    fields |= {r: _as_said(said, world) for r, said in (words or {}).items()}
    fields["content"] = getattr(action, "content", "")
    kind = act.type_of(action)
    if isinstance(action, act.Use) and action.manner:
        return plan_craft(action, world, fields)
    if isinstance(action, act.Put):
        kind = _put(world, action)
    return plan(world.language, " ".join((kind, *roles)), **fields)


def _as_said(words: str, world: World) -> str:
    return words if is_pronoun(words) else grammar(world.language).the(words)


def _put(world: World, action: act.Put) -> str:
    holder = world.entities.get(action.destination_id)
    return "put.on" if holder and holder.kind == "supporter" else "put.in"


class _Judged(NamedTuple):
    """An action with its verdict, and the claim it came from."""

    action: act.Action
    verdict: Verdict
    claim: object


def _passages(turn: Turn, before: World, viewer: Id) -> Iterator[Line]:
    worlds = worlds_after(turn, before)
    world = before
    refusals = Refusals()
    for passage in _in_order(turn):
        if isinstance(passage, Rejection):
            yield from refusals.told(passage, passage.message, world)
            continue
        action, verdict, claim = passage
        if not verdict.success:
            message = in_own_words(action, verdict, claim, world)
            yield from refusals.told(verdict, message, world)
            continue
        scene = _Scene(world, next(worlds), viewer)
        if _watches(action.actor_id, scene):
            yield from _happened(action, scene)
        world = scene.after


def _in_order(turn: Turn) -> list[Rejection | _Judged]:
    """Actions and rejections in the order their claims were made."""
    judged = zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_of_actions(turn),
        strict=True,
    )
    placed: list[tuple[int, Rejection | _Judged]] = [
        (r.index, r) for r in turn.rejections
    ]
    placed += zip(claims_behind(turn), (_Judged(*j) for j in judged), strict=True)
    return [passage for _, passage in sorted(placed, key=lambda each: each[0])]


def _watches(actor: Id, scene: _Scene) -> bool:
    here = room_of(scene.after, scene.viewer)
    rooms = (room_of(scene.before, actor), room_of(scene.after, actor))
    return actor == scene.viewer or here in rooms


def _happened(action: act.Action, scene: _Scene) -> Iterator[Line]:
    match action:
        case act.Move():
            yield from _moved(action, scene)
        case act.Look():
            yield from _looked(action, scene)
        case act.Speak():
            speaker = called(scene.after, action.actor_id, scene.viewer)
            yield Line(speaker=speaker, text=action.content)
        case act.Inspect():
            yield from _inspected(action, scene)
        case act.Open():
            yield _opened(action, scene)
        case act.Search():
            yield _searched(action, scene)
        case act.Use():
            yield _used(action, scene)
        case act.Introduce():
            yield Line(text=_introduced(action, scene))
        case act.Put():
            yield _plainly(_put(scene.after, action), action, scene)
        case (
            act.Take()
            | act.Drop()
            | act.Give()
            | act.Close()
            | act.Lock()
            | act.Unlock()
            | act.Eat()
            | act.Wait()
            | act.Describe()
        ):
            yield _plainly(act.type_of(action), action, scene)
        case _:
            assert_never(action)


def _plainly(line: str, action: act.Action, scene: _Scene) -> Line:
    """One sentence with the names of everything the action involves."""
    fields = {
        role.removesuffix("_id"): the(scene.before, getattr(action, role), scene.viewer)
        for role in action.roles
        if getattr(action, role) is not None
    }
    if isinstance(action, act.Describe):
        fields["content"] = action.content
    return Line(text=scene.told(line, action.actor_id, **fields))


def _moved(action: act.Move, scene: _Scene) -> Iterator[Line]:
    if action.actor_id == scene.viewer:
        yield from describe_room(scene.after, action.actor_id)
        return
    leaves = room_of(scene.before, action.actor_id) == room_of(
        scene.after, scene.viewer
    )
    line = "move.they.leaves" if leaves else "move.they.comes"
    who, place = (scene.the(i) for i in (action.actor_id, action.target_id))
    yield Line(text=told(scene.after.language, line, who=who, place=place))


def _looked(action: act.Look, scene: _Scene) -> Iterator[Line]:
    if action.actor_id == scene.viewer:
        yield from describe_room(scene.after, action.actor_id)
    else:
        yield Line(text=scene.told("look", action.actor_id))


def _inspected(action: act.Inspect, scene: _Scene) -> Iterator[Line]:
    world, target = scene.after, action.target_id
    if action.actor_id != scene.viewer:
        yield _plainly("inspect", action, scene)
        return
    thing = world.entities.get(target)
    if thing is None:
        yield from describe_room(world, action.actor_id)
        return
    if thing.description or target != action.actor_id:
        yield Line(text=joined(world, _looks(world, thing, action.actor_id)))
    if target == action.actor_id:
        yield from list_inventory(world, action.actor_id)


def _looks(world: World, thing: Entity, viewer: Id) -> Iterator[str]:
    """Everything there is to see about a thing or a person."""
    seen = _outward(world, thing)
    named = the(world, thing.id, viewer)
    if thing.kind == "character" and thing.id != viewer:
        seen += _hands(world, thing, named)
    nothing = told(world.language, "inspect.nothing", target=named)
    yield from seen or [nothing]


def _outward(world: World, thing: Entity) -> list[str]:
    """Its look, its state, what is in or on it, and a word of help if it misleads."""
    misleads = thing.kind != "door" and not thing.lockable
    seen = [
        thing.description,
        *_condition(world, thing),
        *inside(world, thing),
        thing.hint if misleads else "",
    ]
    return [sentence for sentence in seen if sentence]


def _condition(world: World, thing: Entity) -> Iterator[str]:
    if thing.openable:
        shut = "inspect.locked" if thing.locked else "inspect.closed"
        yield told(world.language, shut if closed(thing) else "inspect.open")
    if thing.state and thing.state != DEFAULT_STATE:
        listed = grammar(world.language).listed(thing.state)
        yield told(world.language, "inspect.state", state=listed)


def _hands(world: World, who: Entity, named: str) -> list[str]:
    held = [world.entities[e] for e in world.holding(who.id)]
    shown = [e for e in held if not e.hidden]
    if not shown:
        return []
    things = list_things(world, shown)
    return [told(world.language, "they.hold", who=named, things=things)]


def _opened(action: act.Open, scene: _Scene) -> Line:
    world, target = scene.after, scene.after.entities[action.target_id]
    unlocked = scene.before.entities[action.target_id].locked
    line = "open.unlocked" if unlocked else "open"
    first = scene.told(line, action.actor_id, target=the(world, target.id))
    if target.kind != "container":
        return Line(text=first)
    inner = [world.entities[e] for e in world.inside(target.id)]
    seen = [e for e in inner if not e.hidden]
    then = told(world.language, "open.empty")
    if seen:
        then = told(world.language, "open.inside", things=list_things(world, seen))
    return Line(text=joined(world, (first, then)))


def _searched(action: act.Search, scene: _Scene) -> Line:
    world, target = scene.after, action.target_id
    found = [
        world.entities[e]
        for e in (*world.inside(target), *world.doors.get(target, ()))
        if scene.before.entities[e].hidden and not world.entities[e].hidden
    ]
    sentences = [scene.told("search", action.actor_id, target=the(world, target))]
    thing = scene.before.entities.get(target)
    if thing is not None and action.actor_id == scene.viewer:
        # As it was before: what comes to light is told by itself.
        sentences += _outward(scene.before, thing)
    if found:
        things = list_things(world, found)
        sentences.append(scene.told("search.found", action.actor_id, things=things))
    elif len(sentences) == 1 and action.actor_id == scene.viewer:
        sentences.append(told(world.language, "search.nothing"))
    return Line(text=joined(world, sentences))


def _used(action: act.Use, scene: _Scene) -> Line:
    if action.manner:
        return Line(text=tell_craft(action, scene.before, scene.viewer))
    world = scene.after
    first = _plainly("use.with" if action.tool_id else "use", action, scene).text
    before = scene.before.entities.get(action.target_id)
    thing = world.entities.get(action.target_id)
    if thing is None or before is None:
        return Line(text=first)
    message = _authored(thing, world.language)
    if message and action.actor_id == scene.viewer:
        return Line(text=message)
    if message:
        return Line(text=joined(world, (first, message)))
    then = told(world.language, "use.nothing")
    if thing.state != before.state:
        state = grammar(world.language).listed(thing.state)
        then = told(world.language, "use.state", state=state)
    elif scene.before.flags != world.flags:
        then = ""
    return Line(text=joined(world, (first, then)))


def _authored(thing: Entity, language: str) -> str:
    """The author's own words for using it, in the language or the one there is."""
    effect = thing.attributes.get("use")
    message = effect.get("message") if isinstance(effect, dict) else None
    if isinstance(message, dict):
        message = message.get(language) or next(iter(message.values()), None)
    return message if isinstance(message, str) else ""


def _introduced(action: act.Introduce, scene: _Scene) -> str:
    name = name_of(scene.after, action.target_id) if action.target_id else ""
    name = str((action.metadata or {}).get("name", name))
    named = grammar(scene.after.language).a(name)
    return scene.told("introduce", action.actor_id, target=named)
