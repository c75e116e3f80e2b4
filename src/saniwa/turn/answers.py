"""Answer questions from the speaker's view, without changing anything.

A question claim has a `kind`, the `words`, and perhaps a `target` in the speaker's words
or the `deed` it asks about. An answer says only what the speaker could see, or what the
rulebook says to the deed. It is computed when the turn is played, and stored with it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.language.name_index import index_world_names
from saniwa.language.name_match import list_spellings, parse_noun_phrase
from saniwa.language.phrasebook import find_grammar, render_sentence
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions, is_allowed, judge
from saniwa.turn.description import (
    describe_contents,
    describe_exits,
    describe_people,
    describe_room,
    list_inventory,
    name_known,
)
from saniwa.turn.exits import list_exits, render_exit, resolve_destination
from saniwa.turn.hints import find_hint, simulate_action
from saniwa.turn.narration import describe_entity, find_own_words, render_action, render_refusal
from saniwa.turn.play import TurnAttempt, TurnOutcome, list_attempts, play_turn
from saniwa.turn.record import QuestionAnswer, SpokenWords, Turn, list_claim_indexes
from saniwa.turn.references import AmbiguousReference, resolve_reference
from saniwa.world import actions
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import find_room, is_closed, is_holding, is_within_reach

_LONGEST: Final = 80
_MOST_DEEDS: Final = 20
_MOST_LISTED: Final = 12
"""The most lines of a list of possible deeds."""
_MOST_NAMES: Final = 8
"""The most things in one of these lines."""
_MOST_STEPS: Final = 3
"""The most deeds before the one that was asked about."""
_BLANK: Final = "\0"
"""Stands for the things in a line until all of them are known."""
_MOST_TRIALS: Final = 300
_REFUSALS: Final = {"how": "answer.not_yet", "why": "answer.because"}
"""The line for a refusal, for each kind of question where it is not "No"."""
_NEEDS: Final = {
    "LOCKED": "answer.need.key",
    "NOT_PRESENT": "answer.need.seen",
    "NOT_FOUND": "answer.need.seen",
}
"""The line that says what is needed first, for the code of a refusal.

It is the same for what is elsewhere and for what does not exist.
"""
_LISTED_FIRST: Final = (
    *("move", "take", "open", "unlock", "speak", "use", "eat", "give", "put", "search"),
)
_COMMANDS: Final = frozenset({"undo", "save", "load", "history", "talk", "look"})
"""The commands that an answer explains."""
_STATES: Final = frozenset({"locked", "unlocked", "open", "closed"})
"""The states whose reason can be asked for."""
_SEARCHED: Final = frozenset({"container", "supporter", "fixture"})
"""The kinds of things that a list offers to search."""


def play_words(
    words: SpokenWords, claims: Sequence[object], world: World, book: Rulebook
) -> TurnOutcome:
    """Play the claims as `play_turn` does, and answer the questions among them."""
    turn, after = play_turn(words, claims, world, book)
    return TurnOutcome(answer_questions(turn, words, world, book) if turn.answers else turn, after)


def answer_questions(turn: Turn, words: SpokenWords, world: World, book: Rulebook) -> Turn:
    """The turn with the answers to its questions, as the world was before each."""
    answers = tuple(
        msgspec.structs.replace(
            each,
            lines=_answer(
                each.kind,
                _Question(
                    turn.parsed_actions[each.index],
                    words,
                    _find_world_before(each, turn, world),
                    book,
                ),
            ),
        )
        for each in turn.answers
    )
    return msgspec.structs.replace(turn, answers=answers)


def answer_host_word(command: str, world: World, actor: Id, book: Rulebook) -> tuple[str, ...]:
    """The lines that answer a word for the host, such as `hint`, from an actor's view."""
    spoken = SpokenWords(actor_id=actor, text=command)
    return _answer(f"host.{command}", _Question({"words": command}, spoken, world, book))


def is_worth_suggesting(action: actions.Action, world: World) -> bool:
    """Whether a list of possible actions should include this one.

    Excluded are a second spelling of the same action and a use without effect.
    """
    match action:
        case actions.Take(source_id=source):
            return source is None
        case actions.Use(target_id=target, manner=""):
            thing = world.entities.get(target)
            return thing is not None and "use" in thing.attributes
        case _:
            return True


def _find_world_before(answer: QuestionAnswer, turn: Turn, before: World) -> World:
    """The world that the claims before a question left."""
    for index, attempt in zip(list_claim_indexes(turn), list_attempts(turn, before), strict=True):
        if index < answer.index:
            before = attempt.after
    return before


class _Question(NamedTuple):
    """One question, who asks it, and where."""

    claim: dict[Any, Any]
    spoken: SpokenWords
    world: World
    book: Rulebook

    @property
    def speaker(self) -> Id:
        return self.spoken.actor_id

    @property
    def target(self) -> str:
        """What it asks about, in the speaker's words."""
        return self.get_text("target")

    def get_text(self, field: str) -> str:
        """A text of the claim, shortened; empty if there is none."""
        value = self.claim.get(field)
        return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""

    def render(self, line: str, **fields: object) -> str:
        """A sentence in the world's language."""
        return render_sentence(self.world.language, line, **fields)

    def find_seen(self) -> list[Entity]:
        """The things and people in view that the target may mean."""
        if not self.target:
            return []
        found = resolve_reference(self.target, "inspect", "target_id", self.spoken, self.world)
        ids = found.ids if isinstance(found, AmbiguousReference) else (found,)
        known = [each for each in ids if isinstance(each, str)]
        seen = [each for each in known if is_within_reach(self.world, self.speaker, each)]
        things = [self.world.entities[each] for each in seen if each in self.world.entities]
        named = index_world_names(self.world).find_bearers(
            *list_spellings(parse_noun_phrase(self.target))
        )
        # “The cellar” is a place, even where a cellar door is in view.
        place = any(each in self.world.locations for each in named)
        return [each for each in things if each.id in named] if place else things

    def describe_ways(self) -> list[str]:
        """The ways from here to the place that the target names."""
        to = resolve_destination(self.target, self.spoken, self.world) if self.target else None
        ways = [way for way in list_exits(self.world, self.speaker) if way.to == to]
        return [self.render("room.exits", ways=render_exit(self.world, way)) for way in ways]


def _answer(kind: str, question: _Question) -> tuple[str, ...]:
    return tuple(line for line in _ANSWERS.get(kind, _answer_other)(question) if line)


def _answer_place(question: _Question) -> Iterator[str]:
    if question.claim.get("scene") is True:
        yield from _answer_scene(question)
        return
    room = question.world.locations.get(find_room(question.world, question.speaker) or Id(""))
    if room is None:
        yield question.render("room.nowhere")
        return
    place = find_grammar(question.world.language).name_place(room.name)
    yield question.render("answer.place", place=place)
    yield room.description if room.description != room.name else ""


def _answer_people(question: _Question) -> Iterator[str]:
    if question.target:
        yield from _answer_unseen(question)
        return
    people = describe_people(question.world, question.speaker)
    yield people or question.render("answer.alone")


def _answer_scene(question: _Question) -> Iterator[str]:
    yield from (line.text for line in describe_room(question.world, question.speaker))


def _answer_holdings(question: _Question) -> Iterator[str]:
    yield from (line.text for line in list_inventory(question.world, question.speaker))


def _answer_exits(question: _Question) -> Iterator[str]:
    yield from question.describe_ways() or [describe_exits(question.world, question.speaker)]


def _answer_other(question: _Question) -> Iterator[str]:
    words = question.get_text("words")
    yield question.render("answer.other" if words else "answer.other.bare", words=words)
    yield question.render("answer.askable")


def _answer_unseen(question: _Question) -> Iterator[str]:
    ways = question.describe_ways()
    if ways:
        yield question.render("answer.beyond")
        yield from ways
    elif question.target:
        yield question.render("answer.unseen", words=question.target)
    else:
        yield from _answer_other(question)


def _answer_whereabouts(question: _Question) -> Iterator[str]:
    """Where a thing is; nothing about what the speaker does not see."""
    seen = question.find_seen()
    if not seen:
        yield from question.describe_ways() or _answer_unseen(question)
    for thing in seen:
        holder = question.world.entities.get(thing.place) if thing.place else None
        kinds = {"character": "held", "container": "in", "supporter": "on"}
        here = "present" if thing.kind == "character" else "here"
        line = kinds.get(holder.kind, here) if holder else here
        line = "mine" if thing.place == question.speaker else line
        name = name_known(question.world, thing.id, question.speaker)
        at = name_known(question.world, holder.id, question.speaker) if holder else ""
        yield question.render(f"answer.{line}", name=name, holder=at)


def _answer_contents(question: _Question) -> Iterator[str]:
    seen = question.find_seen()
    if not question.target:
        yield from _answer_scene(question)
    elif not seen:
        yield from _answer_unseen(question)
    for thing in seen:
        name = name_known(question.world, thing.id, question.speaker)
        if thing.kind == "character":
            yield from describe_entity(question.world, thing, question.speaker)
        elif thing.kind == "container" and is_closed(thing):
            yield question.render("answer.closed", name=name)
        else:
            inside = [*describe_contents(question.world, thing)]
            yield from inside or [question.render("answer.empty", name=name)]


def _answer_description(question: _Question) -> Iterator[str]:
    seen = question.find_seen()
    if not seen:
        yield from _answer_unseen(question)
    for thing in seen:
        yield from describe_entity(question.world, thing, question.speaker)


def _answer_possible(question: _Question) -> Iterator[str]:
    """What the rulebook allows the speaker now, one line for each kind of deed."""
    possible = [
        *find_admissible_actions(question.world, question.speaker, question.book),
        *_list_talks(question),
    ]
    useful = [action for action in possible if _is_worth_telling(action, question)]
    groups: dict[str, list[str]] = {}
    for action in sorted(useful or possible, key=_rank_action):
        role = "recipient_id" if isinstance(action, actions.Speak) else "target_id"
        named = getattr(action, role, None)
        plan = render_action(action, question.world, {role: _BLANK} if named else None)
        name = name_known(question.world, named, question.speaker) if named else ""
        groups.setdefault(plan, []).append(name)
    join = find_grammar(question.world.language).join_names
    shown = [(plan, names[:_MOST_NAMES]) for plan, names in groups.items()][:_MOST_LISTED]
    yield question.render("answer.possible" if shown else "answer.impossible")
    yield from (f"  {plan.replace(_BLANK, join(names))}" for plan, names in shown)
    more = sum(map(len, groups.values())) - sum(len(names) for _, names in shown)
    yield question.render("answer.more", count=more) if more else ""


def _list_talks(question: _Question) -> Iterator[actions.Action]:
    """Talking to each person whom the speaker sees, if it is allowed."""
    for who in question.world.cast:
        talk = actions.Speak(actor_id=question.speaker, recipient_id=who, content="")
        if who == question.speaker or not is_within_reach(question.world, question.speaker, who):
            continue
        if is_allowed(talk, question.world, question.book):
            yield talk


def _is_worth_telling(action: actions.Action, question: _Question) -> bool:
    """Whether it is news to the speaker that this can be done."""
    match action:
        case (
            actions.Look()
            | actions.Wait()
            | actions.Unlock(tool_id=str())
            | actions.Use(tool_id=str(), manner="")
        ):
            return False
        case actions.Inspect(target_id=target):
            return target in question.world.entities and target != question.speaker
        case actions.Search(target_id=target):
            thing = question.world.entities.get(target)
            return thing is None or thing.kind in _SEARCHED
        case actions.Put(target_id=target) | actions.Give(target_id=target):
            thing = question.world.entities.get(target)
            return thing is not None and thing.place == question.speaker
        case _:
            return is_worth_suggesting(action, question.world)


def _rank_action(action: actions.Action) -> int:
    kind = actions.get_action_type(action)
    return _LISTED_FIRST.index(kind) if kind in _LISTED_FIRST else len(_LISTED_FIRST)


def _answer_permission(question: _Question) -> Iterator[str]:
    """What the rulebook says to the deed, which is only tried out."""
    deeds, command = question.claim.get("deed"), question.get_text("command")
    if command in _COMMANDS:
        yield question.render(f"answer.command.{command}")
        return
    if question.target:
        names = (name_known(question.world, e.id, question.speaker) for e in question.find_seen())
        yield question.render("answer.others", name=next(names, question.target))
        return
    if not isinstance(deeds, list) or not deeds:
        yield question.render("answer.no_rule", words=question.get_text("words"))
        return
    turn = play_turn(question.spoken, deeds[:_MOST_DEEDS], question.world, question.book).turn
    if turn.clarification is not None and all(each.get("type") == "move" for each in deeds):
        yield from _answer_exits(question)
    elif turn.clarification is not None:
        join = find_grammar(question.world.language).join_names
        yield turn.clarification.question
        yield join([option.label for option in turn.clarification.options])
    yield from _render_attempts(question, list_attempts(turn, question.world))
    yield from (each.message for each in turn.rejections)


def _render_attempts(question: _Question, attempts: Sequence[TurnAttempt]) -> Iterator[str]:
    """One sentence for all that would be done, and one for each thing where it is refused."""
    done = [each for each in attempts if each.verdict.success]
    if done:
        plans = (
            render_action(a.action, a.before, find_own_words(a.action, a.claim, a.before))
            for a in done
        )
        plan = question.render("answer.and").join(plans)
        now = "answer.now" if question.claim.get("kind") == "why" else "answer.yes"
        yield question.render("answer.idle" if _is_idle(done) else now, plan=plan)
    refused = [each for each in attempts if not each.verdict.success]
    # What cannot be unlocked cannot be opened either, which is not worth saying.
    by_thing = {getattr(each.action, "target_id", None): each for each in reversed(refused)}
    yield from (_render_refused(question, each) for each in reversed(by_thing.values()))


def _is_idle(attempts: Sequence[TurnAttempt]) -> bool:
    """Whether nothing comes of all this: a use that no rule and no attribute is about."""
    return all(
        isinstance(each.action, actions.Use)
        and not each.action.manner
        and not each.verdict.effects
        and not is_worth_suggesting(each.action, each.before)
        for each in attempts
    )


def _render_refused(question: _Question, attempt: TurnAttempt) -> str:
    action, verdict, claim, world, _ = attempt
    why = render_refusal(action, verdict, claim, world)
    hint = question.render("hint", hint=verdict.hint) if verdict.hint else ""
    no = _REFUSALS.get(str(question.claim.get("kind")), "answer.no")
    if no == "answer.not_yet":
        never = verdict.reason_code == "INVALID_TARGET" and not isinstance(action, actions.Move)
        no = "answer.because" if never else no
        need = "" if hint else _NEEDS.get(verdict.reason_code, "")
        hint = question.render(need) if need else hint
    return question.render(no, why=why, hint=hint).rstrip()


def _answer_why(question: _Question) -> Iterator[str]:
    """Why something is refused, or why a thing is locked, closed or open."""
    state = question.get_text("state")
    if state not in _STATES:
        deeds = question.claim.get("deed")
        yield from _answer_permission(question) if deeds else _answer_other(question)
        return
    seen = question.find_seen()
    if not seen:
        yield from _answer_unseen(question)
    yield from (_explain_state(question, thing, state) for thing in seen)


def _explain_state(question: _Question, thing: Entity, state: str) -> str:
    """What keeps a thing in a state and what changes it, or that it is not in that state."""
    name = name_known(question.world, thing.id, question.speaker)
    now = {"locked" if thing.locked else "unlocked", "open" if thing.open else "closed"}
    if state not in now:
        return question.render(f"answer.not_{state}", name=name)
    if thing.locked and state == "closed":
        state = "locked"
    action = _make_change(question, thing, state)
    verdict = judge(action, question.world, question.book)
    if verdict.success:
        plan = render_action(action, question.world)
        return question.render(f"answer.{state}.can", name=name, plan=plan)
    hint = question.render("hint", hint=verdict.hint) if verdict.hint else ""
    why = render_refusal(action, verdict, {}, question.world)
    return question.render(f"answer.{state}.kept", name=name, why=why, hint=hint).rstrip()


def _make_change(question: _Question, thing: Entity, state: str) -> actions.Action:
    """The action that ends a state, with the key that the speaker holds."""
    actor, key = question.speaker, thing.required_key
    held = key if key and is_holding(question.world, actor, key) else None
    match state:
        case "locked":
            return actions.Unlock(actor_id=actor, target_id=thing.id, tool_id=held)
        case "unlocked":
            return actions.Lock(actor_id=actor, target_id=thing.id, tool_id=held)
        case "open":
            return actions.Close(actor_id=actor, target_id=thing.id)
        case _:
            return actions.Open(actor_id=actor, target_id=thing.id)


def _answer_how(question: _Question) -> Iterator[str]:
    """The deeds that lead to the one asked about, as far as they can be done here."""
    deeds, command = question.claim.get("deed"), question.get_text("command")
    if command in _COMMANDS or not isinstance(deeds, list) or not deeds:
        line = f"command.{command}" if command in _COMMANDS else "help"
        yield question.render(f"answer.{line}")
        return
    steps = _find_steps(deeds[:_MOST_DEEDS], question)
    tried = play_turn(question.spoken, deeds[:_MOST_DEEDS], question.world, question.book).turn
    if steps is None or _is_idle(list_attempts(tried, question.world)):
        yield from _answer_permission(question)
        return
    yield question.render("answer.how")
    yield from (f"  {step}" for step in steps)


def _find_steps(deeds: list[Any], question: _Question) -> list[str] | None:
    """The shortest way to the deeds by taking, unlocking and opening; None if there is none."""
    asked = play_turn(question.spoken, deeds, question.world, question.book).turn
    if asked.clarification is not None:
        return None
    if not all(_is_seen(action, question) for action in asked.normalized_actions):
        return None
    waiting: deque[tuple[World, list[str]]] = deque([(question.world, [])])
    trials = 0
    while waiting:
        world, steps = waiting.popleft()
        turn = play_turn(question.spoken, deeds, world, question.book).turn
        if turn.validation_results and all(v.success for v in turn.validation_results):
            done = list_attempts(turn, world)
            return [*steps, *(render_action(each.action, each.before) for each in done)]
        useful = _list_preparations(world, question) if len(steps) < _MOST_STEPS else []
        for action in useful[: max(0, _MOST_TRIALS - trials)]:
            trials += 1
            after = simulate_action(action, world, question.speaker, question.book)
            waiting.append((after, [*steps, render_action(action, world)]))
    return None


def _is_seen(action: actions.Action, question: _Question) -> bool:
    """Whether the speaker sees all things of the action; the others stay unknown."""
    named = [getattr(action, role) for role in action.roles]
    things = [each for each in named if each in question.world.entities]
    return all(is_within_reach(question.world, question.speaker, each) for each in things)


def _list_preparations(world: World, question: _Question) -> list[actions.Action]:
    """The deeds that may make another one possible."""
    keys = {each.required_key for each in world.entities.values() if each.locked}
    return [
        action
        for action in find_admissible_actions(world, question.speaker, question.book)
        if isinstance(action, actions.Open | actions.Unlock)
        or (
            isinstance(action, actions.Take)
            and action.source_id is None
            and action.target_id in keys
        )
    ]


def _answer_hint(question: _Question) -> Iterator[str]:
    action = find_hint(question.world, question.speaker, question.book).action
    if action is None:
        yield question.render("answer.no_hint")
        return
    yield question.render("answer.hint", plan=render_action(action, question.world))


def _answer_help(question: _Question) -> Iterator[str]:
    yield question.render("answer.help")
    yield question.render("answer.askable")


def _answer_self(question: _Question) -> Iterator[str]:
    """Whom the speaker plays."""
    who = question.world.entities[question.speaker]
    yield question.render("answer.self", name=name_known(question.world, who.id, who.id))
    yield who.description


def _answer_doer(question: _Question) -> Iterator[str]:
    yield question.render("answer.doer", words=question.get_text("words"))


def _answer_trial(question: _Question) -> Iterator[str]:
    yield question.render("answer.trial")


def _answer_host(question: _Question) -> Iterator[str]:
    yield question.render("answer.host", words=question.get_text("words"))


_Answering = Callable[[_Question], Iterator[str]]
_ANSWERS: Final[dict[str, _Answering]] = {
    "where_am_i": _answer_place,
    "who_am_i": _answer_self,
    "who_did": _answer_doer,
    "what_if": _answer_trial,
    "who_is_here": _answer_people,
    "what_is_here": _answer_scene,
    "what_is_in": _answer_contents,
    "what_do_i_have": _answer_holdings,
    "exits": _answer_exits,
    "where_is": _answer_whereabouts,
    "what_is": _answer_description,
    "what_can_i_do": _answer_possible,
    "can_i": _answer_permission,
    "why": _answer_why,
    "how": _answer_how,
    "hint": _answer_hint,
    "host.actions": _answer_possible,
    "host.help": _answer_help,
    "host.hint": _answer_hint,
    "host.inventory": _answer_holdings,
    **dict.fromkeys(
        ("host.history", "host.load", "host.quit", "host.save", "host.undo", "host.why"),
        _answer_host,
    ),
}
"""How each kind of question is answered; any other has no answer."""
