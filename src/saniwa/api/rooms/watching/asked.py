"""What can be asked of a run that is watched."""

import asyncio
from typing import Annotated

import msgspec

from saniwa.api.operation import Call, Operation, Page
from saniwa.api.rooms.watching.beneath import (
    Named,
    Number,
    actor_in,
    lens_in,
    not_there,
    run_in,
    turn_of,
)
from saniwa.api.rooms.watching.lines import Search, TurnLine, found
from saniwa.api.rooms.watching.map import WorldView, world_view
from saniwa.api.rooms.watching.minds import MindView, mind_view
from saniwa.api.rooms.watching.turns import TurnView, view_of
from saniwa.run.replay import Replay, replay
from saniwa.turn.narrate import tell_action
from saniwa.turn.suggestion import is_worth_suggesting
from saniwa.world.action import Action
from saniwa.world.model import World


class When(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which moment of a run."""

    turn: Number | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class Whose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose mind, and when."""

    who: Named = ""
    """A character's id; empty for whoever the run is played as."""
    turn: Number | None = None
    """After this turn; -1 for the beginning, and nothing for now."""


class Asking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who wants to act."""

    actor: Named = ""
    """A character's id; empty for whoever the run is played as."""


class Listing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose actions to list, and which part of them."""

    actor: Named = ""
    """A character's id; empty for whoever the run is played as."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)] = 0
    """How many to pass over."""


class Possible(msgspec.Struct, frozen=True, kw_only=True):
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

    next: Possible | None = None
    """The first step of a way to the goal; null where none was found."""
    steps: int = 0
    """How many steps that way has."""
    possible: int = 0
    """How many things can be done at all."""


async def list_turns(call: Call) -> Page[TurnLine]:
    """List turns, the last first."""
    return await asyncio.to_thread(found, await run_in(call), call.query)


async def read_turn(call: Call) -> TurnView:
    """Take a turn apart."""
    lens = await lens_in(call)
    text = call.path["turn"]
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
    if not 0 <= number < lens.run.count:
        raise not_there(lens.run, number)
    return await asyncio.to_thread(view_of, lens, number)


async def read_world(call: Call) -> WorldView:
    """The world after a turn."""
    run = await run_in(call)
    return await asyncio.to_thread(world_view, run, turn_of(run, call.query.turn))


async def read_mind(call: Call) -> MindView:
    """What a character believed after a turn, beside what was so."""
    lens, query = await lens_in(call), call.query
    who, number = actor_in(lens.run, query.who), turn_of(lens.run, query.turn)
    return await asyncio.to_thread(mind_view, lens, who, number)


async def list_admissible(call: Call) -> Page[Possible]:
    """Everything somebody may do now."""
    run, query = await run_in(call), call.query
    actor = actor_in(run, query.actor)
    actions = await asyncio.to_thread(run.admissible, actor)
    end = query.after + query.limit
    shown = [_possible(each, run.world) for each in actions[query.after : end]]
    return Page(shown, str(end) if end < len(actions) else None)


async def read_hint(call: Call) -> HintView:
    """What somebody might try next."""
    run = await run_in(call)
    found_hint = await asyncio.to_thread(run.hint, actor_in(run, call.query.actor))
    action = found_hint.action
    return HintView(
        next=None if action is None else _possible(action, run.world),
        steps=found_hint.steps,
        possible=len(found_hint.possible),
    )


async def replay_run(call: Call) -> Replay:
    """Judge every turn again, up to the first that comes out otherwise."""
    run = await run_in(call)
    return await asyncio.to_thread(replay, call.garden.parts.store, run.id)


def _possible(action: Action, world: World) -> Possible:
    return Possible(
        action=action,
        sentence=tell_action(action, world),
        suggested=is_worth_suggesting(action, world),
    )


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_CODES = ("RUN_NOT_FOUND", "WORLD_MISSING")
OPERATIONS = (
    Operation(
        name="listTurns",
        method="GET",
        path="/runs/{run}/turns",
        summary="List the turns of a run, the last first; find some of them",
        run=list_turns,
        query=Search,
        answers=Page[TurnLine],
        codes=_CODES,
        path_examples=_RUN,
    ),
    Operation(
        name="readTurn",
        method="GET",
        path="/runs/{run}/turns/{turn}",
        summary="Take a turn apart: words, claims, verdicts with their rules, changes",
        run=read_turn,
        answers=TurnView,
        codes=(*_CODES, "TURN_NOT_FOUND"),
        path_examples={**_RUN, "turn": "0"},
    ),
    Operation(
        name="readWorld",
        method="GET",
        path="/runs/{run}/world",
        summary="The world as a map, now or after any turn",
        run=read_world,
        query=When,
        answers=WorldView,
        codes=(*_CODES, "TURN_NOT_FOUND"),
        path_examples=_RUN,
    ),
    Operation(
        name="readMind",
        method="GET",
        path="/runs/{run}/minds",
        summary="What a character believes, beside what is so, now or after any turn",
        run=read_mind,
        query=Whose,
        answers=MindView,
        codes=(*_CODES, "TURN_NOT_FOUND", "ACTOR_UNKNOWN"),
        path_examples=_RUN,
    ),
    Operation(
        name="listAdmissible",
        method="GET",
        path="/runs/{run}/admissible",
        summary="Everything a character may do now",
        run=list_admissible,
        query=Listing,
        answers=Page[Possible],
        codes=(*_CODES, "ACTOR_UNKNOWN"),
        path_examples=_RUN,
    ),
    Operation(
        name="readHint",
        method="GET",
        path="/runs/{run}/hint",
        summary="What a character might try next",
        run=read_hint,
        query=Asking,
        answers=HintView,
        codes=(*_CODES, "ACTOR_UNKNOWN"),
        path_examples=_RUN,
    ),
    Operation(
        name="replayRun",
        method="POST",
        path="/runs/{run}/replay",
        summary="Judge every turn again, and tell the first difference",
        run=replay_run,
        answers=Replay,
        codes=_CODES,
        path_examples=_RUN,
    ),
)
