"""Inspecting a run: its turns, its world, a character's mind, hints and a replay.

A turn is shown in one line or in detail, a mind as beliefs next to the truth.
"""

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final, Literal

import msgspec

from saniwa.agent.mind.mind import Belief, Mind, get_known_name
from saniwa.app.operations import operation, runs
from saniwa.app.operations.operation import (
    OperationCall,
    RequestRecord,
    ResultPage,
    ShortName,
    build_view,
    define,
)
from saniwa.app.operations.runs import RUN_CODES, find_inspector, find_run, resolve_actor
from saniwa.app.operations.world_views import (
    WorldDifference,
    WorldView,
    build_world_view,
    find_differences,
)
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.verdict import Verdict
from saniwa.runs import replay
from saniwa.runs.replay import ReplayResult
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunInspector
from saniwa.story.step_result import Say
from saniwa.turn.answers import is_worth_suggesting
from saniwa.turn.narration import find_own_words, render_action
from saniwa.turn.play import list_attempts
from saniwa.turn.record import RulebookEdit, RunReturn, Seating, Turn, render_public_words
from saniwa.world.actions import Action, get_action_type
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import get_name, is_closed

TurnOutcomeName = Literal["done", "partly", "refused", "unclear", "nothing", "aside"]
"""The result of a turn."""
TurnKind = Literal["turn", "undo", "load", "edit", "seating"]
"""What a turn is."""
TurnOutcomeFilter = Literal["all", "refused", "changed", "unclear", "aside"]
"""Which turns to list."""

TURNS_PER_READ: Final = 200
"""Turns that are read at once, from the last backwards."""
MAX_TURNS_READ: Final = 4_000
"""Turns that are read for one answer; the next page continues the search."""
MAX_SHOWN_WORDS: Final = 300
"""The largest number of characters of the words in a line."""


class TurnSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in a list."""

    number: int
    """Its position in the run, from 0."""
    kind: TurnKind
    """Whether it is a turn of the story or an operation on the run itself."""
    actor: str
    """The id of the speaker."""
    name: str
    """The name of the speaker."""
    words: str
    """The words, without a model's thoughts; long ones are shortened."""
    types: list[str] = []
    """The types of the attempted actions, each once."""
    outcome: TurnOutcomeName
    """The result."""
    codes: list[str] = []
    """Why something was refused or not understood, each once."""
    changed: bool = False
    """Whether the world changed."""
    at: int = 0
    """When; milliseconds since 1970."""


class TurnSearchQuery(RequestRecord, frozen=True, kw_only=True):
    """Which turns to list; the last first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] | None = None
    """The turn to go on behind."""
    q: ShortName = ""
    """What stands somewhere in it: words, names, codes, checks."""
    only: TurnOutcomeFilter = "all"
    """Turns of one outcome."""
    actor: ShortName = ""
    """Turns of one character, by id."""
    code: ShortName = ""
    """Turns that were refused or not understood for one reason."""
    type: ShortName = ""
    """Turns in which one kind of action was tried."""


def summarize_turn(turn: Turn, world: World) -> TurnSummary:
    """Summarize a turn in one line."""
    return TurnSummary(
        number=turn.number,
        kind=find_turn_kind(turn),
        actor=turn.actor_id,
        name=get_name(world, turn.actor_id),
        words=render_public_words(turn)[:MAX_SHOWN_WORDS],
        types=[*dict.fromkeys(get_action_type(action) for action in turn.normalized_actions)],
        outcome=find_turn_outcome(turn),
        codes=[*dict.fromkeys(_find_codes(turn))],
        changed=turn.world_before != turn.world_after,
        at=turn.timestamp,
    )


def find_turn_kind(turn: Turn) -> TurnKind:
    """Return what a turn is."""
    match turn.aside:
        case RunReturn(why=why):
            return why
        case RulebookEdit():
            return "edit"
        case Seating():
            return "seating"
        case None:
            return "turn"


def find_turn_outcome(turn: Turn) -> TurnOutcomeName:
    """Return the result of a turn."""
    if turn.aside is not None:
        return "aside"
    if turn.clarification is not None:
        return "unclear"
    refused = any(not verdict.success for verdict in turn.validation_results)
    if turn.applied_actions:
        return "partly" if refused or turn.rejections else "done"
    if refused:
        return "refused"
    return "unclear" if turn.rejections else "nothing"


def search_turns(run: Run, search: TurnSearchQuery) -> ResultPage[TurnSummary]:
    """Return the turns that match, the last first.

    Raises:
        StoreError: The store cannot be read.
    """
    count = run.count
    end = count if search.after is None else min(search.after, count)
    lines: list[TurnSummary] = []
    number = end
    for turn in islice(_iterate_backwards(run, end), MAX_TURNS_READ):
        number = turn.number
        line = summarize_turn(turn, run.find_world_after(number))
        if _matches_search(turn, line, search):
            lines.append(line)
        if len(lines) == search.limit:
            break
    return ResultPage(lines, str(number) if number > 0 else None)


def _iterate_backwards(run: Run, end: int) -> Iterator[Turn]:
    while end > 0:
        start = max(end - TURNS_PER_READ, 0)
        yield from reversed([*islice(run.read_turns(start), end - start)])
        end = start


def _find_codes(turn: Turn) -> Iterator[str]:
    for verdict in turn.validation_results:
        if not verdict.success:
            yield verdict.reason_code
    yield from (rejection.code for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.code


def _matches_search(turn: Turn, line: TurnSummary, search: TurnSearchQuery) -> bool:
    return (
        _matches_filter(line, search.only)
        and search.actor in ("", line.actor)
        and (not search.code or search.code in line.codes)
        and (not search.type or search.type in line.types)
        and any(search.q.casefold() in text.casefold() for text in _find_texts(turn, line))
    )


def _matches_filter(line: TurnSummary, only: TurnOutcomeFilter) -> bool:
    if only == "changed":
        return line.changed
    return only == "all" or line.outcome == only or (only, line.outcome) == ("refused", "partly")


def _find_texts(turn: Turn, line: TurnSummary) -> Iterator[str]:
    yield from (turn.raw_text, line.actor, line.name, line.kind)
    yield from (*line.types, *line.codes)
    for verdict in turn.validation_results:
        yield from (verdict.message, verdict.check, verdict.fail_reason)
    yield from (rejection.message for rejection in turn.rejections)
    if turn.clarification is not None:
        yield turn.clarification.question
    if turn.narration is not None:
        yield turn.narration.text


class DecidingCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The check that decided, from the rulebook in force at that turn."""

    action_type: str
    """The rule it belongs to; `*` if it applies to every action."""
    check: str
    """Its id within the rule."""
    description: str = ""
    """The author's description."""
    condition: Any = None
    """The condition, as data."""
    fail_reason: str = ""
    """The reason it gives for a refusal."""


class JudgedAction(msgspec.Struct, frozen=True, kw_only=True):
    """An attempted action, and the decision about it."""

    claim: Any
    """The claim that the parser made."""
    action: Action
    """The action."""
    sentence: str
    """The action as a short sentence in the world's language."""
    verdict: Verdict
    """The rulebook's decision."""
    rule: DecidingCheck | None = None
    """The check that refused it; null if it was allowed, or refused by a law of the world."""


class NarratedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the story."""

    speaker: str
    """The speaker; empty for the narrator."""
    text: str
    """The line."""


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in detail."""

    line: TurnSummary
    """The turn in short."""
    turn: Turn
    """The turn as it is stored."""
    deeds: list[JudgedAction] = []
    """The attempted actions, in order."""
    differs: list[WorldDifference] = []
    """The differences from the world before."""
    told: list[NarratedLine] = []
    """The lines shown to the actor."""
    book: str = ""
    """The name of the rulebook that judged."""
    turns: int = 0
    """How many turns the run has."""


def build_turn_view(inspector: RunInspector, number: int) -> TurnView:
    """Return a turn of a run in detail.

    Raises:
        SaniwaError: The store or the rulebook cannot be read.
    """
    run = inspector.run
    turn = next(run.read_turns(number))
    before, after = run.find_world_after(number - 1), run.find_world_after(number)
    book = inspector.find_book(number)
    return TurnView(
        line=summarize_turn(turn, after),
        turn=turn,
        deeds=[*_build_judged_actions(turn, before, book)],
        differs=find_differences(before, after),
        told=_list_narration(run, turn),
        book=book.id,
        turns=run.count,
    )


def _build_judged_actions(turn: Turn, before: World, book: Rulebook) -> Iterator[JudgedAction]:
    for action, verdict, claim, world, _ in list_attempts(turn, before):
        yield JudgedAction(
            claim=claim,
            action=action,
            sentence=render_action(action, world, find_own_words(action, claim, world)),
            verdict=verdict,
            rule=None if verdict.success else find_deciding_check(verdict.check, book),
        )


def find_deciding_check(name: str, book: Rulebook) -> DecidingCheck | None:
    """Return the check of a rulebook with this name, such as `take.in_scope`."""
    rule, _, check = name.partition(".")
    for each in book.document["rules"]:
        known = [own for own in each["checks"] if own["id"] == check]
        if each["actionType"] == rule and known:
            return DecidingCheck(
                action_type=rule,
                check=check,
                description=known[0].get("description", ""),
                condition=known[0].get("condition"),
                fail_reason=known[0].get("failReason", ""),
            )
    return None


def _list_narration(run: Run, turn: Turn) -> list[NarratedLine]:
    if turn.aside is not None:
        return []
    shown = run.present_turn(turn.number).step.directives
    return [build_view(NarratedLine, each.args) for each in shown if isinstance(each, Say)]


BeliefAgreement = Literal["agrees", "unsure", "wrong"]
"""Whether a belief is true; `unsure` if something is not known."""
MAX_BELIEFS: Final = 500
"""The largest number of beliefs in an answer."""
MAX_MEMORIES: Final = 20
"""The largest number of memories in an answer, the latest."""


class EntityStateView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a thing or person, as believed or in fact."""

    exists: bool = True
    """Whether it exists."""
    place: str = ""
    """The id of what it is in, on or with; empty if unknown."""
    place_name: str = ""
    """The name of that."""
    closed: bool = False
    """Whether it is closed."""
    locked: bool | None = None
    """Whether it is locked; null if unknown."""
    state: list[str] = []
    """Its condition."""


class BeliefView(msgspec.Struct, frozen=True, kw_only=True):
    """What a character believes about a thing or a person, compared with the facts."""

    id: str
    """The id of the thing or person."""
    name: str
    """The name that the character uses for it."""
    kind: str
    """Its kind."""
    believed: EntityStateView
    """The state that the character believes."""
    true: EntityStateView
    """The actual state."""
    agreement: BeliefAgreement
    """Whether they agree."""
    differs: list[str] = []
    """The fields that differ or are unknown: exists, place, closed, locked, state."""
    how: str
    """The source of the belief: seen, told or inferred."""
    since: int
    """The turn on the world's clock since which it is believed."""
    by: str = ""
    """The name of the character who said so."""
    in_view: bool = False
    """Whether it is in view now."""


class RumourView(msgspec.Struct, frozen=True, kw_only=True):
    """What a character heard about something it has never seen."""

    name: str
    """The name that was used for the thing."""
    words: str
    """The stated location."""
    by: str = ""
    """The name of the character who said so."""


class MemoryView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a character witnessed."""

    at: int
    """The turn on the world's clock."""
    text: str
    """The event, or the words spoken."""


class NamedEntity(msgspec.Struct, frozen=True, kw_only=True):
    """A character whose beliefs can be shown."""

    id: str
    """The id of the character."""
    name: str
    """The name of the character."""


class MindView(msgspec.Struct, frozen=True, kw_only=True):
    """What a character believed after one turn, compared with the facts."""

    turn: int
    """The turn; -1 for the initial world."""
    turns: int
    """How many turns the run has."""
    who: str
    """The id of the character."""
    name: str
    """The name of the character."""
    cast: list[NamedEntity]
    """Every character whose beliefs can be shown."""
    place_name: str = ""
    """The location of the character."""
    goals: list[str] = []
    """The goals of the character."""
    beliefs: list[BeliefView] = []
    """The beliefs, in order of id."""
    unaware: list[NamedEntity] = []
    """Things and people that the character does not know of, including hidden ones."""
    rumours: list[RumourView] = []
    """What the character heard about things it has never seen."""
    memories: list[MemoryView] = []
    """Recent memories, oldest first."""


def build_mind_view(inspector: RunInspector, who: Id, number: int) -> MindView:
    """Return the mind of a character after a turn, next to the world as it was.

    Raises:
        StoreError: The store cannot be read.
    """
    run = inspector.run
    mind, world = inspector.find_mind(who, number), run.find_world_after(number)
    beliefs = (mind.beliefs[key] for key in sorted(mind.beliefs))
    return build_view(
        MindView,
        turn=number,
        turns=run.count,
        who=who,
        name=get_name(world, who),
        cast=[NamedEntity(id=each, name=get_name(world, each)) for each in world.cast],
        place_name=get_known_name(mind, mind.place),
        goals=mind.goals,
        beliefs=[_build_belief(each, mind, world) for each in islice(beliefs, MAX_BELIEFS)],
        unaware=[*islice(_list_unknown_entities(mind, world), MAX_BELIEFS)],
        rumours=[
            RumourView(name=each.name, words=each.words, by=get_known_name(mind, each.by))
            for each in mind.rumours
        ],
        memories=mind.memories[-MAX_MEMORIES:],
    )


def _build_belief(belief: Belief, mind: Mind, world: World) -> BeliefView:
    entity = world.entities.get(belief.id)
    wrong, unsure = [*_find_errors(belief, entity)], [*_find_unknowns(belief, entity)]
    agreement: BeliefAgreement = "wrong" if wrong else "unsure" if unsure else "agrees"
    return build_view(
        BeliefView,
        belief,
        believed=build_view(
            EntityStateView,
            belief,
            place=belief.place or "",
            place_name=get_known_name(mind, belief.place) or belief.words,
        ),
        true=_build_true_state(entity, belief, world),
        agreement=agreement,
        differs=wrong or unsure,
        by=get_known_name(mind, belief.by),
        in_view=belief.id in mind.view,
    )


def _find_errors(belief: Belief, entity: Entity | None) -> Iterator[str]:
    if belief.exists is not (entity is not None):
        yield "exists"
    if entity is None or not belief.exists:
        return
    if belief.place is not None and not _is_believed_place(belief.place, entity):
        yield "place"
    if belief.closed is not is_closed(entity):
        yield "closed"
    if belief.locked is not None and belief.locked is not entity.locked:
        yield "locked"
    if belief.state != entity.state:
        yield "state"


def _find_unknowns(belief: Belief, entity: Entity | None) -> Iterator[str]:
    if entity is None or not belief.exists:
        return
    if belief.place is None and entity.place is not None:
        yield "place"
    if belief.locked is None and entity.lockable:
        yield "locked"


def _is_believed_place(place: Id, entity: Entity) -> bool:
    """Whether it is where it is believed to be; a door is on both its sides."""
    return place == entity.place or place in (entity.connects or ())


def _build_true_state(entity: Entity | None, belief: Belief, world: World) -> EntityStateView:
    if entity is None:
        return EntityStateView(exists=False)
    place = entity.place
    if place is None and belief.place in (entity.connects or ()):
        place = belief.place
    return build_view(
        EntityStateView,
        entity,
        place=place or "",
        place_name=get_name(world, place) if place else "",
        closed=is_closed(entity),
        locked=entity.locked if entity.lockable else None,
    )


def _list_unknown_entities(mind: Mind, world: World) -> Iterator[NamedEntity]:
    for key in sorted(world.entities):
        if key != mind.who and key not in mind.beliefs:
            yield NamedEntity(id=key, name=world.entities[key].name)


class WorldQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which moment of a run."""

    turn: runs.TurnNumber | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class MindQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Whose mind, and when."""

    who: operation.ShortName = ""
    """A character's id; empty for the run's own character."""
    turn: runs.TurnNumber | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class HintQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Who wants to act."""

    actor: operation.ShortName = ""
    """A character's id; empty for the run's own character."""


class AdmissibleQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Whose actions to list, and which part of them."""

    actor: operation.ShortName = ""
    """A character's id; empty for the run's own character."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] = 0
    """How many to pass over."""


class PossibleActionView(msgspec.Struct, frozen=True, kw_only=True):
    """An action that is possible now."""

    action: Action
    """The action."""
    sentence: str
    """The action as a short sentence in the world's language."""
    suggested: bool = True
    """Whether it is worth showing to a player; false for another spelling of the same action, and
    for a use without effect."""


class HintView(msgspec.Struct, frozen=True, kw_only=True):
    """A suggestion of what to try next."""

    next: PossibleActionView | None = None
    """The first action on the way to the goal; null if no way was found."""
    steps: int = 0
    """The number of actions on that way."""
    possible: int = 0
    """The number of possible actions."""


@define("GET /runs/{run}/turns", RUN_CODES)
async def list_turns(call: OperationCall, query: TurnSearchQuery) -> ResultPage[TurnSummary]:
    """List or search the turns of a run, newest first."""
    return await asyncio.to_thread(search_turns, await find_run(call), query)


@define("GET /runs/{run}/turns/{turn}", f"{RUN_CODES} TURN_NOT_FOUND")
async def read_turn(call: OperationCall) -> TurnView:
    """Get a turn in detail: words, claims, verdicts with their rules, changes."""
    inspector = await find_inspector(call)
    text = call.path["turn"]
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
    if not 0 <= number < inspector.run.count:
        raise runs.make_turn_error(inspector.run, number)
    return await asyncio.to_thread(build_turn_view, inspector, number)


@define("GET /runs/{run}/world", f"{RUN_CODES} TURN_NOT_FOUND")
async def read_world(call: OperationCall, query: WorldQuery) -> WorldView:
    """Get the world as a map, now or after any turn."""
    run = await find_run(call)
    return await asyncio.to_thread(build_world_view, run, runs.resolve_turn(run, query.turn))


@define("GET /runs/{run}/minds", f"{RUN_CODES} TURN_NOT_FOUND ACTOR_UNKNOWN")
async def read_mind(call: OperationCall, query: MindQuery) -> MindView:
    """Get what a character believes and the facts, now or after any turn."""
    inspector = await find_inspector(call)
    who, number = (
        resolve_actor(inspector.run, query.who),
        runs.resolve_turn(inspector.run, query.turn),
    )
    return await asyncio.to_thread(build_mind_view, inspector, who, number)


@define("GET /runs/{run}/admissible", f"{RUN_CODES} ACTOR_UNKNOWN", tools=("admissible",))
async def list_admissible(
    call: OperationCall, query: AdmissibleQuery
) -> ResultPage[PossibleActionView]:
    """List the actions a character can take now."""
    run = await find_run(call)
    actor = resolve_actor(run, query.actor)
    actions = await asyncio.to_thread(run.list_admissible, actor)
    end = query.after + query.limit
    shown = [_build_possible_action(each, run.world) for each in actions[query.after : end]]
    return ResultPage(shown, str(end) if end < len(actions) else None)


@define("GET /runs/{run}/hint", f"{RUN_CODES} ACTOR_UNKNOWN")
async def read_hint(call: OperationCall, query: HintQuery) -> HintView:
    """Suggest what a character could try next."""
    run = await find_run(call)
    found_hint = await asyncio.to_thread(run.find_hint, resolve_actor(run, query.actor))
    action = found_hint.action
    following = None if action is None else _build_possible_action(action, run.world)
    possible = len(found_hint.possible)
    return HintView(next=following, steps=found_hint.steps, possible=possible)


@define("POST /runs/{run}/replay", RUN_CODES)
async def replay_run(call: OperationCall) -> ReplayResult:
    """Replay every turn, and report the first difference."""
    run = await find_run(call)
    return await asyncio.to_thread(replay.replay_run, call.workspace.runs.store, run.id)


def _build_possible_action(action: Action, world: World) -> PossibleActionView:
    sentence, suggested = render_action(action, world), is_worth_suggesting(action, world)
    return PossibleActionView(action=action, sentence=sentence, suggested=suggested)
