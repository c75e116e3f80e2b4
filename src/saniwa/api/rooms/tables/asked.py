"""The table of a run: who plays whom, and letting agents take their turns."""

import asyncio
from typing import Annotated

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.rooms.found import hosted_in, own_in
from saniwa.api.rooms.rulebooks.asked import Changed
from saniwa.api.rooms.runs import run_beneath
from saniwa.api.rooms.tables.view import TableView, table_view
from saniwa.core.errors import RunError
from saniwa.run.conductor import Run
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.scenario import HostedRun
from saniwa.run.hosted.trouble import no_world
from saniwa.turn.orders import Order
from saniwa.wiring.garden.seating import agents_to_seat
from saniwa.wiring.garden.table import Table

Named = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Model = Annotated[str, msgspec.Meta(max_length=300)]


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bodies have no fields we do not know."""


class Seats(_Body, frozen=True, kw_only=True):
    """Agents for characters."""

    agents: Annotated[dict[Named, Model], msgspec.Meta(min_length=1, max_length=100)]
    """For each character, by id, the agent that is to play it."""
    order: Order | None = None
    """Who comes after whom; null for as it is."""
    model: Model = ""
    """The model they ask, such as `canned:models/answers.yaml`; empty for their own."""


class Seat(_Body, frozen=True, kw_only=True):
    """One seat."""

    who: Named
    """Whose: a character's id or name."""


class Going(_Body, frozen=True, kw_only=True):
    """How agents are to play."""

    pace: Annotated[float, msgspec.Meta(ge=0, le=30)] = 1.0
    """Seconds between two turns, at least: at all tables together, 0.2."""
    moves: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 200
    """How many turns at most."""
    model: Model = ""
    """Another model for them; empty for the one they have."""


class Stepping(_Body, frozen=True, kw_only=True):
    """How one agent is to take its turn."""

    model: Model = ""
    """Another model; empty for the one there is."""


class AgentLine(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be seated."""

    name: str
    """Its name."""


async def list_agents(call: Call) -> Page[AgentLine]:
    """List the agents that can be seated."""
    del call
    names = await asyncio.to_thread(agents_to_seat)
    return Page([AgentLine(name=name) for name in names])


async def read_table(call: Call) -> Answer:
    """See who plays whom."""
    hosted = await hosted_in(call)
    table = await _table(call, hosted)
    table.watched()
    return _seen(hosted, table)


async def seat(call: Call) -> Answer:
    """Give seats to agents."""
    hosted, request = await own_in(call), call.request
    table, body = await _table(call, hosted), call.body
    async with table.still() as gathering:
        named = gathering.named
        seats: dict[str, str] = {named(who): name for who, name in body.agents.items()}
        order = body.order or gathering.seating.order

        async def seated(_: Run) -> None:
            async with table.using(body.model, seats) as sat:
                await sat.seat(seats, order, asked=request.asked)

        moment = await hosted.beside(request, seated)
    return _changed(call, hosted, moment.revision)


async def take(call: Call) -> Answer:
    """Take a seat over."""
    hosted, request = await own_in(call), call.request
    table, who = await _table(call, hosted), call.body.who
    async with table.still() as gathering:
        moment = await hosted.beside(
            request, lambda _: gathering.take(who, asked=request.asked)
        )
    return _changed(call, hosted, moment.revision)


async def hand_back(call: Call) -> Answer:
    """Give a seat back to the agent who had it."""
    hosted, request = await own_in(call), call.request
    table, who = await _table(call, hosted), call.body.who
    async with table.still() as gathering:
        moment = await hosted.beside(
            request, lambda _: gathering.hand_back(who, asked=request.asked)
        )
    return _changed(call, hosted, moment.revision)


async def step(call: Call) -> Answer:
    """Let the next agent take its turn."""
    hosted, request = _agents_may(await own_in(call)), call.request
    table = await _table(call, hosted)
    return _changed(call, hosted, await table.step(request, call.body.model))


async def go(call: Call) -> Answer:
    """Let agents play by themselves."""
    hosted = _agents_may(await own_in(call))
    table, body = await _table(call, hosted), call.body
    call.garden.tables.check_room(table)
    if not table.going or body.model not in ("", table.model):
        async with table.still():
            await table.use(body.model)
        # Others may have begun to play meanwhile.
        call.garden.tables.check_room(table)
    table.go(body.pace, body.moves)
    return _seen(hosted, table)


async def pause(call: Call) -> Answer:
    """Let agents stand still after the turn that is being taken."""
    hosted = await own_in(call)
    table = await _table(call, hosted)
    table.pause()
    return _seen(hosted, table)


async def _table(call: Call, hosted: Hosted) -> Table:
    run = run_beneath(hosted)
    if run is None:
        raise no_world(hosted.id)
    return await call.garden.tables.of(run)


def _agents_may(hosted: Hosted) -> Hosted:
    if isinstance(hosted, HostedRun):
        return hosted
    raise RunError(
        "SEATING_UNFIT",
        "a story is told on this world, and does its own deeds",
        hint="let agents play in a run of the scenario itself",
    )


def _seen(hosted: Hosted, table: Table) -> Answer:
    return Answer(body=table_view(hosted, table), revision=hosted.revision)


def _changed(call: Call, hosted: Hosted, revision: int) -> Answer:
    call.garden.bell.ring(hosted.id)
    return Answer(body=Changed(run=hosted.id, revision=revision), revision=revision)


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_CODES = ("RUN_NOT_FOUND", "WORLD_MISSING", "NOT_YOURS")
_STALE = ("REVISION_CONFLICT", "IDEMPOTENCY_CONFLICT", "SEATING_UNFIT")
_ASKING = (
    "CONFIG_NOT_FOUND",
    "FILE_OUTSIDE",
    "MODEL_KEY_MISSING",
    "MODEL_MISSING",
    "MODEL_UNKNOWN",
    "MODEL_UNNAMED",
)


def _change(name: str, path: str, summary: str, **more: object) -> Operation:
    settings: dict[str, object] = {"answers": Changed, "changes": True, **more}
    return Operation(
        name=name,
        method="POST",
        path=f"/runs/{{run}}/table/{path}",
        summary=summary,
        needs="change",
        tags=True,
        path_examples=_RUN,
        **settings,  # type: ignore[arg-type]
    )


OPERATIONS = (
    Operation(
        name="listAgents",
        method="GET",
        path="/agents",
        summary="List the agents that can be seated at a table",
        run=list_agents,
        answers=Page[AgentLine],
    ),
    Operation(
        name="readTable",
        method="GET",
        path="/runs/{run}/table",
        summary="See who plays whom, and whether agents play by themselves",
        run=read_table,
        answers=TableView,
        tags=True,
        codes=("RUN_NOT_FOUND", "WORLD_MISSING"),
        path_examples=_RUN,
    ),
    _change(
        "seatAgents",
        "seat",
        "Give seats to agents",
        run=seat,
        takes=Seats,
        codes=(*_CODES, *_STALE, *_ASKING, "ACTOR_UNKNOWN"),
        example={"agents": {"groundskeeper": "character"}, "model": "fuzz:1"},
    ),
    _change(
        "takeSeat",
        "take",
        "Take a seat over from an agent",
        run=take,
        takes=Seat,
        codes=(*_CODES, *_STALE, "ACTOR_UNKNOWN"),
        example={"who": "groundskeeper"},
    ),
    _change(
        "handSeatBack",
        "hand-back",
        "Give a seat back to the agent who had it",
        run=hand_back,
        takes=Seat,
        codes=(*_CODES, *_STALE, "ACTOR_UNKNOWN"),
        example={"who": "groundskeeper"},
    ),
    _change(
        "stepTable",
        "step",
        "Let the agent whose turn it is take it",
        run=step,
        takes=Stepping,
        codes=(*_CODES, *_STALE, *_ASKING),
        example={},
    ),
    _change(
        "goTable",
        "go",
        "Let agents play by themselves, until a person is to act",
        run=go,
        takes=Going,
        answers=TableView,
        changes=False,
        codes=(*_CODES, *_ASKING, "SEATING_UNFIT"),
        example={"pace": 1.0},
    ),
    _change(
        "pauseTable",
        "pause",
        "Let agents stand still after the turn that is being taken",
        run=pause,
        answers=TableView,
        changes=False,
        codes=_CODES,
    ),
)
