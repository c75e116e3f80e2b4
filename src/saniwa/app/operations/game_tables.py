"""The table of a run: which agent plays which character, and letting agents play."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import msgspec

from saniwa.app import describe
from saniwa.app.agent_cast import list_seatable_agents
from saniwa.app.game_tables import StopReason, TableRunner, TableTrouble
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationCall, ResultPage, build_view, define
from saniwa.app.operations.runs import RunChangeResult, answer_run_change
from saniwa.core.errors import RunError
from saniwa.runs.errors import make_missing_world_error
from saniwa.runs.playing import Playing
from saniwa.runs.run import Run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.runs.timeline import PERSON, find_player
from saniwa.turn.record import SeatOrder
from saniwa.world.queries import get_name

if TYPE_CHECKING:
    from saniwa.runs.game_table import GameTable

_TABLE_CODES = "RUN_NOT_FOUND WORLD_MISSING NOT_YOURS"
_CHANGE_CODES = "REVISION_CONFLICT IDEMPOTENCY_CONFLICT SEATING_UNFIT"
_MODEL_CODES = (
    "CONFIG_NOT_FOUND FILE_OUTSIDE MODEL_KEY_MISSING MODEL_MISSING MODEL_UNKNOWN MODEL_UNNAMED"
)
_SEAT_CODES = f"{_TABLE_CODES} {_CHANGE_CODES} ACTOR_UNKNOWN"


class SeatView(msgspec.Struct, frozen=True, kw_only=True):
    """A character and its player."""

    who: str
    """The character."""
    name: str
    """Its name."""
    player: str = ""
    """`person`, an agent's name, or empty if the character is not played."""
    agent_before: str = ""
    """The agent that would play it after it is given back."""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays which character, and whether agents play automatically."""

    revision: int
    """The run's revision."""
    seats: list[SeatView]
    """Every character, in order of id."""
    order: SeatOrder
    """The order of play."""
    awaited: str = ""
    """The character whose turn it is; empty if no character is to act."""
    going: bool = False
    """Whether agents play automatically."""
    thinking: str = ""
    """The character whose agent is taking its turn now."""
    stopped: StopReason = ""
    """Why automatic play stopped."""
    trouble: TableTrouble | None = None
    """Why the last agent could not continue."""
    model: str = ""
    """The model chosen for the agents of this run."""
    agents: bool = False
    """Whether an agent plays any character."""
    playable: bool = True
    """Whether agents may act here; in a story on a world they may not."""
    finished: bool = False
    """Whether the goal was reached."""


def build_table_view(playing: Playing, table: TableRunner) -> TableView:
    """Return who plays which character at a table, and whether it is running."""
    game, run = table.game, table.run
    seating, world = game.seating, run.world
    players = {who: find_player(seating, who) for who in world.cast if who in seating.seats}
    return build_view(
        TableView,
        table,
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
        agents=any(each != PERSON for each in players.values()),
        playable=isinstance(playing, ScenarioPlaying),
        finished=run.is_finished,
    )


CharacterText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ModelText = Annotated[str, msgspec.Meta(max_length=300)]


class SeatAgentsRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """Which agents play which characters."""

    agents: Annotated[dict[CharacterText, ModelText], msgspec.Meta(min_length=1, max_length=100)]
    """The agent for each character, by the character's id."""
    order: SeatOrder | None = None
    """The order of play; null to keep the current one."""
    model: ModelText = ""
    """The model for the agents, such as `canned:models/answers.yaml`; empty for their own."""


class SeatRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """A character to take over or to give back."""

    who: CharacterText
    """The id or name of the character."""


class StartTableRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """Options for automatic play."""

    pace: Annotated[float, msgspec.Meta(ge=0, le=30)] = 1.0
    """The minimum number of seconds between two turns; at least 0.2 across all runs together."""
    moves: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 200
    """The maximum number of turns."""
    model: ModelText = ""
    """Another model for the agents; empty to keep the current one."""


class StepTableRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """Options for a single agent turn."""

    model: ModelText = ""
    """Another model for the agent; empty to keep the current one."""


class AgentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can play characters."""

    name: str
    """Its name."""


@define("GET /agents")
def list_agents(_: OperationCall) -> ResultPage[AgentSummary]:
    """List the agents that can play characters."""
    return ResultPage([AgentSummary(name=name) for name in list_seatable_agents()])


@define("GET /runs/{run}/table", "RUN_NOT_FOUND WORLD_MISSING", tags=True)
async def read_table(call: OperationCall) -> TableView:
    """Get who plays each character, and whether agents play automatically."""
    playing = await call.find_playing()
    table = await _open_table(call, playing)
    table.mark_watched()
    return build_table_view(playing, table)


@define(
    "POST /runs/{run}/table/seat",
    f"{_TABLE_CODES} {_CHANGE_CODES} {_MODEL_CODES} ACTOR_UNKNOWN",
    needs="change",
    changes=True,
)
async def seat_agents(call: OperationCall, body: SeatAgentsRequest) -> RunChangeResult:
    """Assign agents to characters."""
    playing, request = await call.find_own_playing(), call.request
    table = await _open_table(call, playing)
    async with table.hold_between_turns() as game:
        seats: dict[str, str] = {
            game.find_character(who): name for who, name in body.agents.items()
        }
        order = body.order or game.seating.order

        async def give_seats(_: Run) -> None:
            async with table.try_model(body.model, seats) as sat:
                await sat.seat_agents(seats, order, asked=request.asked)

        moment = await playing.change_run(request, give_seats)
    return answer_run_change(call, playing, moment.revision)


async def _change_seat(
    call: OperationCall, change: Callable[["GameTable"], Awaitable[object]]
) -> RunChangeResult:
    """Change who plays one character, between two turns of agents."""
    playing, request = await call.find_own_playing(), call.request
    table = await _open_table(call, playing)
    async with table.hold_between_turns() as game:
        moment = await playing.change_run(request, lambda _: change(game))
    return answer_run_change(call, playing, moment.revision)


@define("POST /runs/{run}/table/take", _SEAT_CODES, needs="change", changes=True)
async def take_seat(call: OperationCall, body: SeatRequest) -> RunChangeResult:
    """Take over a character from an agent."""
    return await _change_seat(call, lambda game: game.take_seat(body.who, asked=call.asked))


@define("POST /runs/{run}/table/hand-back", _SEAT_CODES, needs="change", changes=True)
async def hand_seat_back(call: OperationCall, body: SeatRequest) -> RunChangeResult:
    """Give a character back to the agent that played it."""
    return await _change_seat(call, lambda game: game.return_seat(body.who, asked=call.asked))


@define(
    "POST /runs/{run}/table/step",
    f"{_TABLE_CODES} {_CHANGE_CODES} {_MODEL_CODES}",
    needs="change",
    changes=True,
)
async def step_table(call: OperationCall, body: StepTableRequest) -> RunChangeResult:
    """Let the next agent take one turn."""
    playing, request = _check_agents_allowed(await call.find_own_playing()), call.request
    table = await _open_table(call, playing)
    return answer_run_change(call, playing, await table.step(request, body.model))


@define(
    "POST /runs/{run}/table/go",
    f"{_TABLE_CODES} {_MODEL_CODES} SEATING_UNFIT",
    needs="change",
    tags=True,
)
async def go_table(call: OperationCall, body: StartTableRequest) -> TableView:
    """Let agents play automatically until it is a person's turn."""
    playing = _check_agents_allowed(await call.find_own_playing())
    table = await _open_table(call, playing)
    call.workspace.tables.check_capacity(table)
    if not table.is_running or body.model not in ("", table.model):
        async with table.hold_between_turns():
            await table.use_model(body.model)
        # Other tables may have started meanwhile.
        call.workspace.tables.check_capacity(table)
    table.start(body.pace, body.moves)
    return build_table_view(playing, table)


@define("POST /runs/{run}/table/pause", _TABLE_CODES, needs="change", tags=True)
async def pause_table(call: OperationCall) -> TableView:
    """Pause agents after the current turn."""
    playing = await call.find_own_playing()
    table = await _open_table(call, playing)
    table.pause()
    return build_table_view(playing, table)


async def _open_table(call: OperationCall, playing: Playing) -> TableRunner:
    run = playing.world_run
    if run is None:
        raise make_missing_world_error(playing.id)
    return await call.workspace.tables.open_table(run)


def _check_agents_allowed(playing: Playing) -> Playing:
    if isinstance(playing, ScenarioPlaying):
        return playing
    raise describe("SEATING_UNFIT/check_agents_allowed").to_error(RunError)
