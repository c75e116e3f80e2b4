"""Inspecting a run: its turns, its world, a character's mind, hints and a replay.

A mind is shown as beliefs next to the truth.
"""

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final, Literal

import msgspec

from saniwa.agent.mind.model import Belief, Mind, get_known_name
from saniwa.app.operations import contract, runs, turn_views
from saniwa.app.operations.contract import OperationCall, ResultPage, build_view, define
from saniwa.app.operations.runs import RUN_CODES, find_inspector, find_run, resolve_actor
from saniwa.app.operations.world_views import WorldView, build_world_view
from saniwa.runs import replay
from saniwa.runs.inspector import RunInspector
from saniwa.runs.replay import ReplayResult
from saniwa.turn.narration import render_action
from saniwa.turn.preview import is_worth_suggesting
from saniwa.world.actions import Action
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import get_name, is_closed

BeliefAgreement = Literal["agrees", "unsure", "wrong"]
"""Whether a belief is true; `unsure` if something is not known."""
MAX_BELIEFS: Final = 500
"""The largest number of beliefs in an answer."""
MAX_MEMORIES: Final = 20
"""The largest number of memories in an answer, the latest."""


class EntityStateView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of something, in a character's mind or in truth."""

    exists: bool = True
    """Whether there is such a thing."""
    place: str = ""
    """What it is in, on or with, by id; empty where that is not known."""
    place_name: str = ""
    """What that is called."""
    closed: bool = False
    """Whether it is shut."""
    locked: bool | None = None
    """Whether it is locked; null where that is not known."""
    state: list[str] = []
    """Its condition."""


class BeliefView(msgspec.Struct, frozen=True, kw_only=True):
    """What is believed of one thing or person, beside what is so."""

    id: str
    """Of which."""
    name: str
    """What the believer calls it."""
    kind: str
    """What it is."""
    believed: EntityStateView
    """What is believed."""
    true: EntityStateView
    """What is so."""
    agreement: BeliefAgreement
    """Whether they agree."""
    differs: list[str] = []
    """In what they differ, or what is not known: exists, place, closed, locked, state."""
    how: str
    """How it is known: seen, told or inferred."""
    since: int
    """The turn of the world's clock since which it is believed."""
    by: str = ""
    """Who said so, by name."""
    in_view: bool = False
    """Whether it is in view now."""


class RumourView(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of something never seen."""

    name: str
    """The thing, as it was called."""
    words: str
    """Where it is, as it was said."""
    by: str = ""
    """Who said so, by name."""


class MemoryView(msgspec.Struct, frozen=True, kw_only=True):
    """One thing witnessed."""

    at: int
    """Turns that had passed."""
    text: str
    """What happened, or what was said."""


class NamedEntity(msgspec.Struct, frozen=True, kw_only=True):
    """A character whose mind can be looked into."""

    id: str
    """Who."""
    name: str
    """What they are called."""


class MindView(msgspec.Struct, frozen=True, kw_only=True):
    """What one character believed after one turn, beside what was so."""

    turn: int
    """The turn; -1 for the beginning."""
    turns: int
    """How many turns the run has."""
    who: str
    """Whose mind it is."""
    name: str
    """What they are called."""
    cast: list[NamedEntity]
    """Every character whose mind can be asked for."""
    place_name: str = ""
    """Where they are."""
    goals: list[str] = []
    """What they want."""
    beliefs: list[BeliefView] = []
    """What they believe, in order of id."""
    unaware: list[NamedEntity] = []
    """Things and people they know nothing of, hidden ones among them."""
    rumours: list[RumourView] = []
    """What they were told of things never seen."""
    memories: list[MemoryView] = []
    """What they witnessed lately, the latest last."""


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


class WorldQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Which moment of a run."""

    turn: runs.TurnNumber | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class MindQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Whose mind, and when."""

    who: contract.ShortName = ""
    """A character's id; empty for the run's own character."""
    turn: runs.TurnNumber | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class HintQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Who wants to act."""

    actor: contract.ShortName = ""
    """A character's id; empty for the run's own character."""


class AdmissibleQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Whose actions to list, and which part of them."""

    actor: contract.ShortName = ""
    """A character's id; empty for the run's own character."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] = 0
    """How many to pass over."""


class PossibleActionView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could be done now."""

    action: Action
    """The action."""
    sentence: str
    """The same in a few words of the world's language."""
    suggested: bool = True
    """Whether it is worth listing for a player; false for a second spelling of the same
    deed, and for a use without effect."""


class HintView(msgspec.Struct, frozen=True, kw_only=True):
    """What to try next."""

    next: PossibleActionView | None = None
    """The first step of a way to the goal; null where none was found."""
    steps: int = 0
    """How many steps that way has."""
    possible: int = 0
    """How many things can be done at all."""


@define("GET /runs/{run}/turns", RUN_CODES)
async def list_turns(
    call: OperationCall, query: turn_views.TurnSearchQuery
) -> ResultPage[turn_views.TurnSummary]:
    """List the turns of a run, the last first; find some of them."""
    return await asyncio.to_thread(turn_views.search_turns, await find_run(call), query)


@define("GET /runs/{run}/turns/{turn}", f"{RUN_CODES} TURN_NOT_FOUND")
async def read_turn(call: OperationCall) -> turn_views.TurnView:
    """Take a turn apart: words, claims, verdicts with their rules, changes."""
    inspector = await find_inspector(call)
    text = call.path["turn"]
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
    if not 0 <= number < inspector.run.count:
        raise runs.make_turn_error(inspector.run, number)
    return await asyncio.to_thread(turn_views.build_turn_view, inspector, number)


@define("GET /runs/{run}/world", f"{RUN_CODES} TURN_NOT_FOUND")
async def read_world(call: OperationCall, query: WorldQuery) -> WorldView:
    """The world as a map, now or after any turn."""
    run = await find_run(call)
    return await asyncio.to_thread(build_world_view, run, runs.resolve_turn(run, query.turn))


@define("GET /runs/{run}/minds", f"{RUN_CODES} TURN_NOT_FOUND ACTOR_UNKNOWN")
async def read_mind(call: OperationCall, query: MindQuery) -> MindView:
    """What a character believes, beside what is so, now or after any turn."""
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
    """Everything a character may do now."""
    run = await find_run(call)
    actor = resolve_actor(run, query.actor)
    actions = await asyncio.to_thread(run.list_admissible, actor)
    end = query.after + query.limit
    shown = [_build_possible_action(each, run.world) for each in actions[query.after : end]]
    return ResultPage(shown, str(end) if end < len(actions) else None)


@define("GET /runs/{run}/hint", f"{RUN_CODES} ACTOR_UNKNOWN")
async def read_hint(call: OperationCall, query: HintQuery) -> HintView:
    """What a character might try next."""
    run = await find_run(call)
    found_hint = await asyncio.to_thread(run.find_hint, resolve_actor(run, query.actor))
    action = found_hint.action
    following = None if action is None else _build_possible_action(action, run.world)
    possible = len(found_hint.possible)
    return HintView(next=following, steps=found_hint.steps, possible=possible)


@define("POST /runs/{run}/replay", RUN_CODES)
async def replay_run(call: OperationCall) -> ReplayResult:
    """Judge every turn again, and tell the first difference."""
    run = await find_run(call)
    return await asyncio.to_thread(replay.replay_run, call.workspace.parts.store, run.id)


def _build_possible_action(action: Action, world: World) -> PossibleActionView:
    sentence, suggested = render_action(action, world), is_worth_suggesting(action, world)
    return PossibleActionView(action=action, sentence=sentence, suggested=suggested)
