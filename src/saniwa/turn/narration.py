"""The plain narrator: renders turns as story lines, from templates, in two languages.

It says what happened and what is visible, in English or Japanese, and decides nothing.
Refusals use the rulebook's own messages, with the speaker's own words for what is not
in reach: the world's name for a thing the speaker does not see is never revealed.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from saniwa.language.lexicon import en, ja
from saniwa.language.phrasebook import find_grammar, render_plan, render_sentence
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.claim_form import SPOKEN_FIELDS
from saniwa.turn.description import (
    NarrationLine,
    describe_contents,
    describe_room,
    join_sentences,
    list_inventory,
    list_shown_entities,
    name_for_viewer,
    name_known,
)
from saniwa.turn.dialogue import classify_reply, find_topic_name, suggest_topic
from saniwa.turn.exits import list_exits
from saniwa.turn.play import TurnAttempt, list_attempts
from saniwa.turn.record import Clarification, QuestionAnswer, Rejection, Turn, list_claim_indexes
from saniwa.turn.references import means_all
from saniwa.world import actions
from saniwa.world.actions import Action, Use, get_action_type
from saniwa.world.effects import BringEffect, ReplyEffect
from saniwa.world.fingerprint import DEFAULT_STATE
from saniwa.world.model import NOWHERE, Entity, Id, World
from saniwa.world.queries import (
    find_craft,
    find_craft_verb,
    find_room,
    get_name,
    is_closed,
    is_goal_reached,
    is_within_reach,
)

_LONGEST = 60
_PRONOUNS = en.THINGS | en.PEOPLE | ja.THINGS | ja.PEOPLE


def find_own_words(action: Action, claim: object, world: World) -> dict[str, str]:
    """The words of the claim for each role that is not in reach.

    If the action has another type than the claim, its roles differ, and "all" names
    nothing: neither has words here.
    """
    kind = get_action_type(action)
    if not isinstance(claim, dict) or claim.get("type") != kind or means_all(claim):
        return {}
    found = {
        role: claim.get(SPOKEN_FIELDS[role])
        for role in action.roles
        if not _is_in_reach(action, role, world)
    }
    return {
        role: words.strip()
        for role, words in found.items()
        if isinstance(words, str) and 0 < len(words.strip()) <= _LONGEST
    }


def is_pronoun(words: str) -> bool:
    """Whether the words are only a pronoun or the like."""
    return words.lower() in _PRONOUNS


def _is_in_reach(action: Action, role: str, world: World) -> bool:
    named = getattr(action, role)
    if named is None:
        return True
    if get_action_type(action) == "move":
        return any(way.to == named for way in list_exits(world, action.actor_id))
    return is_within_reach(world, action.actor_id, named)


class RefusalNarrator:
    """Narrates the refusals of one turn; no line and no hint is repeated."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def narrate_refusal(
        self, why: Verdict | Rejection, message: str, world: World
    ) -> list[NarrationLine]:
        """The refusal as lines; empty if it was narrated before."""
        hint = render_sentence(world.language, "hint", hint=why.hint) if why.hint else ""
        fresh = [text for text in (message, hint) if text not in self._told]
        self._told.update(fresh)
        text = join_sentences(world, fresh)
        return [NarrationLine(text=text)] if message in fresh and text else []


def render_refusal(action: Action, verdict: Verdict, claim: object, world: World) -> str:
    """The refusal, with the speaker's words for what they do not see."""
    message = verdict.message
    if verdict.reason_code not in ("NOT_FOUND", "NOT_PRESENT"):
        return message
    words = next(iter(find_own_words(action, claim, world).values()), "")
    if not words or words in message:
        return message
    why = message.rstrip(".。")
    line = "refused.of" if why != message else "refused.beside"
    return render_sentence(world.language, line, why=why, words=words)


class _ActionScene(NamedTuple):
    """One action with the worlds before and after it, and the viewer."""

    before: World
    after: World
    viewer: Id

    def render_line(self, line: str, actor: Id, **fields: str) -> str:
        """The sentence for the viewer: "you take" or "she takes"."""
        if actor != self.viewer:
            line, fields = f"{line}.they", {"who": self.name_entity(actor), **fields}
        return render_sentence(self.after.language, line, **fields)

    def name_entity(self, thing: Id) -> str:
        """The viewer's name for it."""
        return name_known(self.after, thing, self.viewer)


def narrate(
    turn: Turn, before: World, after: World, viewer: Id | None = None
) -> tuple[NarrationLine, ...]:
    """Narrate the turn as story lines for a viewer, by default the actor.

    What happens outside the viewer's place is left out, except that people come and go.
    Refusals and rejections are narrated only for the actor.
    """
    watcher = viewer or turn.actor_id
    if turn.clarification is not None and watcher == turn.actor_id:
        return (NarrationLine(text=turn.clarification.question),)
    return (*_narrate_passages(turn, before, watcher), *_narrate_goal(before, after))


def narrate_attempt(
    attempt: TurnAttempt, viewer: Id, played: Collection[Id] = ()
) -> Iterator[NarrationLine]:
    """Narrate an action that was allowed, as if the turn had no other.

    People in `played` give no written answer.
    """
    yield from _narrate_success(attempt, viewer, played)
    yield from _narrate_goal(attempt.before, attempt.after)


def number_options(question: Clarification) -> tuple[NarrationLine, ...]:
    """The options of a question as numbered lines, for hosts that show only text."""
    return tuple(
        NarrationLine(text=f"  {number}. {option.label}")
        for number, option in enumerate(question.options, start=1)
    )


def render_action(
    action: actions.Action, world: World, words: Mapping[str, str] | None = None
) -> str:
    """The action in a few words, such as "take the brass key".

    `words` gives text for a role that replaces the world's name for what fills it.
    """
    roles = [r for r in action.roles if getattr(action, r) is not None]
    fields: dict[str, str] = {r: name_known(world, getattr(action, r)) for r in roles}
    add_article = find_grammar(world.language).add_definite_article
    fields |= {r: w if is_pronoun(w) else add_article(w) for r, w in (words or {}).items()}
    fields["content"] = getattr(action, "content", "")
    fields["about"] = find_topic_name(action, world) if isinstance(action, actions.Speak) else ""
    if isinstance(action, actions.Use) and action.manner:
        return render_craft_plan(action, world, fields)
    line = " ".join((_choose_line(action, world), *roles))
    return render_plan(world.language, line, **fields)


def _choose_line(action: actions.Action, world: World) -> str:
    if isinstance(action, actions.Speak) and action.recipient_id is not None:
        return "speak" if action.content else "talk.about" if action.about else "talk"
    if not isinstance(action, actions.Put):
        return actions.get_action_type(action)
    holder = world.entities.get(action.destination_id)
    return "put.on" if holder and holder.kind == "supporter" else "put.in"


def _narrate_goal(before: World, after: World) -> Iterator[NarrationLine]:
    if is_goal_reached(after) and not is_goal_reached(before):
        own = after.goal.message if after.goal else ""
        yield NarrationLine(text=own or render_sentence(after.language, "goal"))


def _narrate_passages(turn: Turn, before: World, viewer: Id) -> Iterator[NarrationLine]:
    """Narrate actions, rejections and answers in the order of their claims.

    Only the actor receives what was refused, rejected or answered.
    """
    refusals, own = RefusalNarrator(), viewer == turn.actor_id
    apart: list[Rejection | QuestionAnswer] = [*turn.rejections, *turn.answers] if own else []
    waiting = deque(sorted(apart, key=lambda each: each.index))
    indexes = iter(list_claim_indexes(turn) if waiting else ())
    after = before
    for attempt in list_attempts(turn, before):
        action, verdict, claim, world, after = attempt
        index = next(indexes, -1)
        while waiting and waiting[0].index <= index:
            yield from _narrate_aside(waiting.popleft(), refusals, world)
        if verdict.success:
            yield from _narrate_success(attempt, viewer, turn.played)
        elif own:
            message = render_refusal(action, verdict, claim, world)
            yield from refusals.narrate_refusal(verdict, message, world)
    for each in waiting:
        yield from _narrate_aside(each, refusals, after)


def _narrate_success(
    attempt: TurnAttempt, viewer: Id, played: Collection[Id]
) -> Iterator[NarrationLine]:
    action, verdict, claim, before, after = attempt
    scene = _ActionScene(before, after, viewer)
    if _is_witness(action.actor_id, scene):
        yield from _narrate_action(restore_subject(action, claim, before), scene)
        if isinstance(action, actions.Speak) and action.recipient_id not in played:
            yield from _narrate_reply(action, verdict, scene)


def _narrate_aside(
    said: Rejection | QuestionAnswer, refusals: RefusalNarrator, world: World
) -> Iterator[NarrationLine]:
    """The answer to a question, or why a claim became no action."""
    if isinstance(said, Rejection):
        yield from refusals.narrate_refusal(said, said.message, world)
    else:
        yield from (NarrationLine(text=line) for line in said.lines)


def _is_witness(actor: Id, scene: _ActionScene) -> bool:
    here = find_room(scene.after, scene.viewer)
    rooms = (find_room(scene.before, actor), find_room(scene.after, actor))
    return actor == scene.viewer or here in rooms


def _narrate_action(action: actions.Action, scene: _ActionScene) -> Iterator[NarrationLine]:
    match action:
        case actions.Move():
            yield from _narrate_move(action, scene)
        case actions.Look():
            if action.actor_id == scene.viewer:
                yield from describe_room(scene.after, action.actor_id)
            else:
                yield NarrationLine(text=scene.render_line("look", action.actor_id))
        case actions.Speak() | actions.Emote():
            yield from _narrate_expression(action, scene)
        case actions.Inspect():
            yield from _narrate_inspection(action, scene)
        case actions.Open():
            yield NarrationLine(text=_narrate_opening(action, scene))
        case actions.Search():
            yield NarrationLine(text=_narrate_search(action, scene))
        case actions.Use():
            yield NarrationLine(text=_narrate_use(action, scene))
        case actions.Introduce():
            yield NarrationLine(text=_narrate_introduction(action, scene))
        case _:
            line = _narrate_plainly(_choose_line(action, scene.after), action, scene)
            found = [
                each
                for thing in action.list_involved()
                for each in _narrate_found(action.actor_id, thing, scene)
            ]
            yield NarrationLine(text=join_sentences(scene.after, (line, *found)))


def _narrate_expression(
    action: actions.Speak | actions.Emote, scene: _ActionScene
) -> Iterator[NarrationLine]:
    """What is said, or the gesture in the words it came in."""
    text = action.content
    if not text and isinstance(action, actions.Speak):
        yield NarrationLine(text=_narrate_talk(action, scene))
        return
    if isinstance(action, actions.Emote):
        mine = action.actor_id == scene.viewer
        deed = find_grammar(scene.after.language).narrate_gesture(text, mine=mine)
        if deed:
            yield NarrationLine(text=scene.render_line("emote", action.actor_id, deed=deed))
            return
        text = render_sentence(scene.after.language, "emote.words", content=text)
    speaker = name_for_viewer(scene.after, action.actor_id, scene.viewer)
    yield NarrationLine(speaker=speaker, text=text)


def _narrate_reply(
    action: actions.Speak, verdict: Verdict, scene: _ActionScene
) -> Iterator[NarrationLine]:
    """The answer of a person without a player; a gesture where no words are written."""
    person = scene.after.entities.get(action.recipient_id or NOWHERE)
    if person is None or person.kind != "character" or person.id == action.actor_id:
        return
    reply = next((e for e in verdict.effects if isinstance(e, ReplyEffect)), None)
    if reply is not None and reply.content:
        yield NarrationLine(
            speaker=name_for_viewer(scene.after, person.id, scene.viewer), text=reply.content
        )
    else:
        part = reply.part if reply is not None else classify_reply(action)
        yield NarrationLine(text=scene.render_line(f"reply.{part}", person.id))
    near = suggest_topic(action, scene.before) if action.actor_id == scene.viewer else ""
    if near and reply is not None and reply.part == "no_answer":
        hint = render_sentence(scene.after.language, "hint.name", near=near)
        yield NarrationLine(text=render_sentence(scene.after.language, "hint", hint=hint))
    for effect in verdict.effects:
        if isinstance(effect, BringEffect):
            give = actions.Give(
                actor_id=person.id, target_id=effect.entity_id, recipient_id=action.actor_id
            )
            line = "give.you" if action.actor_id == scene.viewer else "give"
            yield NarrationLine(text=_narrate_plainly(line, give, scene))


def restore_subject(action: Action, claim: object, world: World) -> Action:
    """The action with the speaker's own words for the topic that was meant.

    “Key” becomes “the key” if there is an answer about that thing.
    """
    words = claim.get("about") if isinstance(claim, dict) else None
    if not isinstance(action, actions.Speak) or not isinstance(words, str) or not words:
        return action
    thing = world.entities.get(Id(action.about))
    if thing is not None and thing.kind != "character" and " " not in words.strip():
        grammar = find_grammar(world.language)
        words = words if is_pronoun(words) else grammar.add_definite_article(words)
    return msgspec.structs.replace(action, about=words)


def _narrate_talk(action: actions.Speak, scene: _ActionScene) -> str:
    """Who talks to whom about what, where the words themselves are not known."""
    line = "talk" if action.recipient_id else "talk.all"
    subject = find_topic_name(action, scene.before)
    about = render_sentence(scene.after.language, "talk.about", about=subject)
    other = scene.name_entity(action.recipient_id) if action.recipient_id else ""
    return scene.render_line(
        line, action.actor_id, recipient=other, about=about if action.about else ""
    )


def _narrate_plainly(line: str, action: actions.Action, scene: _ActionScene) -> str:
    """One sentence with the names of everything the action involves."""
    fields = {
        role.removesuffix("_id"): name_known(scene.before, getattr(action, role), scene.viewer)
        for role in action.roles
        if getattr(action, role) is not None
    }
    if isinstance(action, actions.Describe):
        fields["content"] = action.content
    return scene.render_line(line, action.actor_id, **fields)


def _narrate_move(action: actions.Move, scene: _ActionScene) -> Iterator[NarrationLine]:
    if action.actor_id == scene.viewer:
        yield from describe_room(scene.after, action.actor_id)
        return
    leaves = find_room(scene.before, action.actor_id) == find_room(scene.after, scene.viewer)
    line = "move.they.leaves" if leaves else "move.they.comes"
    who, place = (scene.name_entity(i) for i in (action.actor_id, action.target_id))
    yield NarrationLine(text=render_sentence(scene.after.language, line, who=who, place=place))


def _narrate_inspection(action: actions.Inspect, scene: _ActionScene) -> Iterator[NarrationLine]:
    world, target = scene.after, action.target_id
    if action.actor_id != scene.viewer:
        yield NarrationLine(text=_narrate_plainly("inspect", action, scene))
        return
    thing = world.entities.get(target)
    if thing is None:
        yield from describe_room(world, action.actor_id)
        return
    if thing.description or target != action.actor_id:
        yield NarrationLine(
            text=join_sentences(world, describe_entity(world, thing, action.actor_id))
        )
    if target == action.actor_id:
        yield from list_inventory(world, action.actor_id)


def describe_entity(world: World, thing: Entity, viewer: Id) -> Iterator[str]:
    """Everything that is visible about a thing or a person."""
    seen = _describe_outside(world, thing)
    named = name_known(world, thing.id, viewer)
    if thing.kind == "character" and thing.id != viewer:
        seen += _describe_hands(world, thing, named)
    nothing = render_sentence(world.language, "inspect.nothing", target=named)
    yield from seen or [nothing]


def _describe_outside(world: World, thing: Entity) -> list[str]:
    """Its look, its state, its contents, and advice if its look is misleading."""
    misleads = thing.kind != "door" and not thing.lockable
    seen = [
        thing.description,
        *_describe_condition(world, thing),
        *describe_contents(world, thing),
        thing.hint if misleads else "",
    ]
    return [sentence for sentence in seen if sentence]


def _describe_condition(world: World, thing: Entity) -> Iterator[str]:
    if thing.openable:
        shut = "inspect.locked" if thing.locked else "inspect.closed"
        yield render_sentence(world.language, shut if is_closed(thing) else "inspect.open")
    if thing.state and thing.state != DEFAULT_STATE:
        listed = find_grammar(world.language).join_names(thing.state)
        yield render_sentence(world.language, "inspect.state", state=listed)


def _describe_hands(world: World, who: Entity, named: str) -> list[str]:
    held = (world.entities[e] for e in world.list_contents(who.id))
    things = list_shown_entities(world, [e for e in held if not e.hidden])
    return (
        [render_sentence(world.language, "they.hold", who=named, things=things)] if things else []
    )


def _narrate_opening(action: actions.Open, scene: _ActionScene) -> str:
    world, target = scene.after, scene.after.entities[action.target_id]
    unlocked = scene.before.entities[action.target_id].locked
    line = "open.unlocked" if unlocked else "open"
    first = scene.render_line(line, action.actor_id, target=name_known(world, target.id))
    if target.kind != "container":
        return first
    inner = (world.entities[e] for e in world.list_contents(target.id))
    things = list_shown_entities(world, [e for e in inner if not e.hidden])
    then = render_sentence(world.language, "open.inside" if things else "open.empty", things=things)
    return join_sentences(world, (first, then))


def _narrate_search(action: actions.Search, scene: _ActionScene) -> str:
    world, target = scene.after, action.target_id
    sentences = [scene.render_line("search", action.actor_id, target=name_known(world, target))]
    thing = scene.before.entities.get(target)
    if thing is not None and action.actor_id == scene.viewer:
        # Describe it as it was before: what the action reveals is narrated separately.
        sentences += _describe_outside(scene.before, thing)
    found = _narrate_found(action.actor_id, target, scene)
    if not found and len(sentences) == 1 and action.actor_id == scene.viewer:
        found = [render_sentence(world.language, "search.nothing")]
    return join_sentences(world, (*sentences, *found))


def _narrate_found(actor: Id, target: Id, scene: _ActionScene) -> list[str]:
    """What comes to light in, on or under the target; what was under it is next to it now."""
    world = scene.after
    found = [
        world.entities[e]
        for e in (*scene.before.list_contents(target), *world.doors.get(target, ()))
        if scene.before.entities[e].hidden and not world.entities[e].hidden
    ]
    things = list_shown_entities(world, found)
    return [scene.render_line("search.found", actor, things=things)] if found else []


def _narrate_use(action: actions.Use, scene: _ActionScene) -> str:
    if action.manner:
        return narrate_craft(action, scene.before, scene.viewer)
    world = scene.after
    first = _narrate_plainly("use.with" if action.tool_id else "use", action, scene)
    before = scene.before.entities.get(action.target_id)
    thing = world.entities.get(action.target_id)
    if thing is None or before is None:
        return first
    then = _find_authored_message(thing, world.language)
    if then and action.actor_id == scene.viewer:
        return then
    if not then and thing.state != before.state:
        state = find_grammar(world.language).join_names(thing.state)
        then = render_sentence(world.language, "use.state", state=state)
    elif not then and scene.before.flags == world.flags:
        then = render_sentence(world.language, "use.nothing")
    return join_sentences(world, (first, then))


def _find_authored_message(thing: Entity, language: str) -> str:
    """The author's text for using it, in the language, else in the one there is."""
    effect = thing.attributes.get("use")
    message = effect.get("message") if isinstance(effect, dict) else None
    if isinstance(message, dict):
        message = message.get(language) or next(iter(message.values()), None)
    return message if isinstance(message, str) else ""


def _narrate_introduction(action: actions.Introduce, scene: _ActionScene) -> str:
    name = get_name(scene.after, action.target_id) if action.target_id else ""
    name = str((action.metadata or {}).get("name", name))
    named = find_grammar(scene.after.language).add_indefinite_article(name)
    return scene.render_line("introduce", action.actor_id, target=named)


_BRACES: Final = re.compile(r"\{(actor|target|tool)\}")


def render_craft_plan(action: Use, world: World, fields: dict[str, str]) -> str:
    """A craft as a plan, such as "slice the carrot with the knife"."""
    line = "craft target_id" + (" tool_id" if action.tool_id else "")
    verb = find_craft_verb(world, action.manner)
    return render_plan(world.language, line, **{**fields, "verb": verb})


def narrate_craft(action: Use, before: World, viewer: Id) -> str:
    """What happened when a craft was done: the rulebook's text, else a plain one."""
    names = {
        role.removesuffix("_id"): name_known(before, getattr(action, role), viewer)
        for role in ("actor_id", *action.roles)
        if getattr(action, role) is not None
    }
    own = find_craft(before, action.manner).told
    text = own.get(before.language) or own.get(before.language[:2])
    if text:
        filled = _BRACES.sub(lambda found: names.get(found[1], ""), text)
        return filled[:1].upper() + filled[1:]
    return _narrate_unworded_craft(action, before, viewer, names)


def _narrate_unworded_craft(action: Use, world: World, viewer: Id, names: dict[str, str]) -> str:
    mine = action.actor_id == viewer
    line = "craft.with" if action.tool_id else "craft"
    deed = find_grammar(world.language).conjugate_deed(
        find_craft_verb(world, action.manner), mine=mine
    )
    who = names.pop("actor")
    fields = names if mine else {"who": who, **names}
    return render_sentence(world.language, line if mine else f"{line}.they", deed=deed, **fields)
