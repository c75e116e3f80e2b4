"""The table of a run: which agent plays which character, and letting agents play."""

import asyncio
from typing import Annotated

import msgspec

from saniwa.app.table_agents import TableTrouble, list_seatable_agents
from saniwa.app.tables import StopReason, TableRunner
from saniwa.core.errors import RunError
from saniwa.http.contract import Operation, OperationAnswer, OperationCall, ResultPage
from saniwa.http.routes.rulebooks import RunChangeResult
from saniwa.http.routes.runs import find_own_playing, find_playing, find_world_run
from saniwa.runs.errors import make_missing_world_error
from saniwa.runs.playing import Playing
from saniwa.runs.playing_scenario import ScenarioPlaying
from saniwa.runs.run import Run
from saniwa.runs.seats import PERSON, find_player
from saniwa.turn.record import SeatOrder
from saniwa.world.view import get_name


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """One character, and who plays it."""

    who: str
    """The character."""
    name: str
    """What it is called."""
    player: str = ""
    """`person`, an agent's name, or empty if the character is not played."""
    agent_before: str = ""
    """The agent who would get the seat back."""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays whom, and whether it goes on."""

    revision: int
    """The run's revision."""
    seats: list[SeatView]
    """Every character, in order of id."""
    order: SeatOrder
    """Who comes after whom."""
    awaited: str = ""
    """Who is to act now; empty if no character is to act."""
    going: bool = False
    """Whether agents play by themselves."""
    thinking: str = ""
    """Whose agent is taking its turn right now."""
    stopped: StopReason = ""
    """Why it stands still, once it went."""
    trouble: TableTrouble | None = None
    """Why the last agent could not go on."""
    model: str = ""
    """The model that was named for the agents here."""
    agents: bool = False
    """Whether any seat is an agent's."""
    playable: bool = True
    """Whether agents may act here; a story on a world does its own deeds."""
    finished: bool = False
    """Whether the story has ended well."""


def build_table_view(playing: Playing, table: TableRunner) -> TableView:
    """Return who plays which character at a table, and whether it is running."""
    game, run = table.game, table.run
    seating, world = game.seating, run.world
    players = {who: find_player(seating, who) for who in world.cast if who in seating.seats}
    return TableView(
        revision=playing.revision,
        seats=[
            SeatView(
                who=who,
                name=get_name(world, who),
                player=players.get(who, ""),
                agent_before=run.seat_timeline.agents.get(who, ""),
            )
            for who in world.cast
        ],
        order=seating.order,
        awaited=game.find_awaited_actor() or "",
        going=table.is_running,
        thinking=table.thinking or "",
        stopped=table.stopped,
        trouble=table.trouble,
        model=table.model,
        agents=any(each != PERSON for each in players.values()),
        playable=isinstance(playing, ScenarioPlaying),
        finished=run.is_finished,
    )


CharacterText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ModelText = Annotated[str, msgspec.Meta(max_length=300)]


class _RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request body; unknown fields are refused."""


class SeatAgentsRequest(_RequestBody, frozen=True, kw_only=True):
    """Agents for characters."""

    agents: Annotated[dict[CharacterText, ModelText], msgspec.Meta(min_length=1, max_length=100)]
    """For each character, by id, the agent that is to play it."""
    order: SeatOrder | None = None
    """Who comes after whom; null for as it is."""
    model: ModelText = ""
    """The model they ask, such as `canned:models/answers.yaml`; empty for their own."""


class SeatRequest(_RequestBody, frozen=True, kw_only=True):
    """One seat."""

    who: CharacterText
    """Whose: a character's id or name."""


class StartTableRequest(_RequestBody, frozen=True, kw_only=True):
    """How agents are to play."""

    pace: Annotated[float, msgspec.Meta(ge=0, le=30)] = 1.0
    """Seconds between two turns, at least: at all tables together, 0.2."""
    moves: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 200
    """How many turns at most."""
    model: ModelText = ""
    """Another model for them; empty for the one they have."""


class StepTableRequest(_RequestBody, frozen=True, kw_only=True):
    """How one agent is to take its turn."""

    model: ModelText = ""
    """Another model; empty for the one there is."""


class AgentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be seated."""

    name: str
    """Its name."""


async def list_agents(call: OperationCall) -> ResultPage[AgentSummary]:
    """List the agents that can be seated."""
    del call
    names = await asyncio.to_thread(list_seatable_agents)
    return ResultPage([AgentSummary(name=name) for name in names])


async def read_table(call: OperationCall) -> OperationAnswer:
    """See who plays whom."""
    playing = await find_playing(call)
    table = await _open_table(call, playing)
    table.mark_watched()
    return _answer_table(playing, table)


async def seat_agents(call: OperationCall) -> OperationAnswer:
    """Give seats to agents."""
    playing, request = await find_own_playing(call), call.request
    table, body = await _open_table(call, playing), call.body
    async with table.hold_between_turns() as game:
        named = game.find_character
        seats: dict[str, str] = {named(who): name for who, name in body.agents.items()}
        order = body.order or game.seating.order

        async def give_seats(_: Run) -> None:
            async with table.try_model(body.model, seats) as sat:
                await sat.seat_agents(seats, order, asked=request.asked)

        moment = await playing.change_run(request, give_seats)
    return _answer_change(call, playing, moment.revision)


async def take_seat(call: OperationCall) -> OperationAnswer:
    """Take a seat over."""
    playing, request = await find_own_playing(call), call.request
    table, who = await _open_table(call, playing), call.body.who
    async with table.hold_between_turns() as game:
        moment = await playing.change_run(
            request, lambda _: game.take_seat(who, asked=request.asked)
        )
    return _answer_change(call, playing, moment.revision)


async def hand_seat_back(call: OperationCall) -> OperationAnswer:
    """Give a seat back to the agent who had it."""
    playing, request = await find_own_playing(call), call.request
    table, who = await _open_table(call, playing), call.body.who
    async with table.hold_between_turns() as game:
        moment = await playing.change_run(
            request, lambda _: game.return_seat(who, asked=request.asked)
        )
    return _answer_change(call, playing, moment.revision)


async def step_table(call: OperationCall) -> OperationAnswer:
    """Let the next agent take its turn."""
    playing, request = _check_agents_allowed(await find_own_playing(call)), call.request
    table = await _open_table(call, playing)
    return _answer_change(call, playing, await table.step(request, call.body.model))


async def start_table(call: OperationCall) -> OperationAnswer:
    """Let agents play by themselves."""
    playing = _check_agents_allowed(await find_own_playing(call))
    table, body = await _open_table(call, playing), call.body
    call.workspace.tables.check_capacity(table)
    if not table.is_running or body.model not in ("", table.model):
        async with table.hold_between_turns():
            await table.use_model(body.model)
        # Other tables may have started meanwhile.
        call.workspace.tables.check_capacity(table)
    table.start(body.pace, body.moves)
    return _answer_table(playing, table)


async def pause_table(call: OperationCall) -> OperationAnswer:
    """Let agents stand still after the turn that is being taken."""
    playing = await find_own_playing(call)
    table = await _open_table(call, playing)
    table.pause()
    return _answer_table(playing, table)


async def _open_table(call: OperationCall, playing: Playing) -> TableRunner:
    run = find_world_run(playing)
    if run is None:
        raise make_missing_world_error(playing.id)
    return await call.workspace.tables.open_table(run)


def _check_agents_allowed(playing: Playing) -> Playing:
    if isinstance(playing, ScenarioPlaying):
        return playing
    raise RunError(
        "SEATING_UNFIT",
        "a story is told on this world, and does its own deeds",
        hint="let agents play in a run of the scenario itself",
    )


def _answer_table(playing: Playing, table: TableRunner) -> OperationAnswer:
    return OperationAnswer(body=build_table_view(playing, table), revision=playing.revision)


def _answer_change(call: OperationCall, playing: Playing, revision: int) -> OperationAnswer:
    call.workspace.notifier.notify(playing.id)
    return OperationAnswer(
        body=RunChangeResult(run=playing.id, revision=revision), revision=revision
    )


_RUN_PATH = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_TABLE_CODES = ("RUN_NOT_FOUND", "WORLD_MISSING", "NOT_YOURS")
_CHANGE_CODES = ("REVISION_CONFLICT", "IDEMPOTENCY_CONFLICT", "SEATING_UNFIT")
_MODEL_CODES = (
    "CONFIG_NOT_FOUND",
    "FILE_OUTSIDE",
    "MODEL_KEY_MISSING",
    "MODEL_MISSING",
    "MODEL_UNKNOWN",
    "MODEL_UNNAMED",
)


def _define_change(name: str, path: str, summary: str, **more: object) -> Operation:
    settings: dict[str, object] = {"answers": RunChangeResult, "changes": True, **more}
    return Operation(
        name=name,
        method="POST",
        path=f"/runs/{{run}}/table/{path}",
        summary=summary,
        needs="change",
        tags=True,
        path_examples=_RUN_PATH,
        **settings,  # type: ignore[arg-type]
    )


TABLE_OPERATIONS = (
    Operation(
        name="listAgents",
        method="GET",
        path="/agents",
        summary="List the agents that can be seated at a table",
        run=list_agents,
        answers=ResultPage[AgentSummary],
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
        path_examples=_RUN_PATH,
    ),
    _define_change(
        "seatAgents",
        "seat",
        "Give seats to agents",
        run=seat_agents,
        takes=SeatAgentsRequest,
        codes=(*_TABLE_CODES, *_CHANGE_CODES, *_MODEL_CODES, "ACTOR_UNKNOWN"),
        example={"agents": {"groundskeeper": "character"}, "model": "fuzz:1"},
    ),
    _define_change(
        "takeSeat",
        "take",
        "Take a seat over from an agent",
        run=take_seat,
        takes=SeatRequest,
        codes=(*_TABLE_CODES, *_CHANGE_CODES, "ACTOR_UNKNOWN"),
        example={"who": "groundskeeper"},
    ),
    _define_change(
        "handSeatBack",
        "hand-back",
        "Give a seat back to the agent who had it",
        run=hand_seat_back,
        takes=SeatRequest,
        codes=(*_TABLE_CODES, *_CHANGE_CODES, "ACTOR_UNKNOWN"),
        example={"who": "groundskeeper"},
    ),
    _define_change(
        "stepTable",
        "step",
        "Let the agent whose turn it is take it",
        run=step_table,
        takes=StepTableRequest,
        codes=(*_TABLE_CODES, *_CHANGE_CODES, *_MODEL_CODES),
        example={},
    ),
    _define_change(
        "goTable",
        "go",
        "Let agents play by themselves, until a person is to act",
        run=start_table,
        takes=StartTableRequest,
        answers=TableView,
        changes=False,
        codes=(*_TABLE_CODES, *_MODEL_CODES, "SEATING_UNFIT"),
        example={"pace": 1.0},
    ),
    _define_change(
        "pauseTable",
        "pause",
        "Let agents stand still after the turn that is being taken",
        run=pause_table,
        answers=TableView,
        changes=False,
        codes=_TABLE_CODES,
    ),
)
