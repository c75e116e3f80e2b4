"""Runs: creating, listing and reading them; and finding the run of a request."""

import asyncio
from typing import Annotated, Literal

import msgspec

from saniwa.app.playings import make_nothing_named_error
from saniwa.app.story_saves import find_unfinished_runs
from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProcessError, RunError
from saniwa.core.text import quote_value
from saniwa.http.auth.caller import Caller
from saniwa.http.contract import AuthoredText, Operation, OperationAnswer, OperationCall, ResultPage
from saniwa.http.event_stream import stream_revisions
from saniwa.runs.errors import make_missing_world_error
from saniwa.runs.inspector import RunInspector
from saniwa.runs.playing import AwaitedInput, Playing, PlayState
from saniwa.runs.playing_record import PlayingRecord, PlayOrigin
from saniwa.runs.playing_scenario import ScenarioPlaying
from saniwa.runs.playing_story import StoredStoryPlaying
from saniwa.runs.run import Run
from saniwa.runs.timeline import find_player_character
from saniwa.store.run_records import RunSummary
from saniwa.world.model import Id


async def find_playing(call: OperationCall) -> Playing:
    """Return the run that the path names.

    Raises:
        StoreError: `RUN_NOT_FOUND`.
        SaniwaError: It cannot be continued.
    """
    return await call.workspace.find_playing(call.path["run"])


async def find_own_playing(call: OperationCall) -> Playing:
    """Return the run, if the caller may play it: its owner plays, others watch.

    A run without an owner may be played from this machine, and by people.

    Raises:
        ProcessError: `NOT_YOURS`.
        SaniwaError: As `find_playing`.
    """
    playing = await find_playing(call)
    if call.caller.by == "nearness":
        return playing
    owner = _find_owner(call, playing)
    if not _may_play(call.caller, owner):
        message = f"{quote_value(owner)} began this run and plays it"
        raise ProcessError(
            "NOT_YOURS",
            message if owner else "this run was begun at the server's own machine",
            hint="watch it, or begin one of your own",
            details={"run": playing.id, "owner": owner},
        )
    return playing


def _may_play(caller: Caller, owner: str) -> bool:
    return owner == caller.name if owner else "change" in caller.permissions


def _find_owner(call: OperationCall, playing: Playing) -> str:
    """Return who began a run; empty if the caller had not signed in."""
    if isinstance(playing, StoredStoryPlaying):
        return playing.origin.owner
    record = call.workspace.find_record(playing.id)
    return record.origin.owner if record else ""


RunKind = Literal["scenario", "story", "story on a world"]
"""What a run plays."""
SeedNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
ShortName = Annotated[str, msgspec.Meta(max_length=200)]


class BeginRunRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a new run plays: a scenario, a story, or a draft, which may be of a story."""

    scenario: ShortName = ""
    """A scenario's id."""
    story: ShortName = ""
    """A story's id."""
    draft: AuthoredText = ""
    """A story's text, to be tried before it is saved; with a story, one of its files."""
    file: ShortName = ""
    """The file of the story that the draft is of; empty for the one it begins in."""
    at: ShortName = ""
    """The section to begin at, or a line such as `:12`; empty for the beginning."""
    language: ShortName = ""
    """The language; empty for the author's own."""
    actor: ShortName = ""
    """Whom to play; empty for the one the scenario names."""
    seed: SeedNumber = 0
    """Where chance starts."""


class PlayRunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line."""

    id: str
    """Its id."""
    kind: RunKind
    """What it plays."""
    scenario: str = ""
    """The scenario's id, where it has a world."""
    story: str = ""
    """The story's id, where it tells one of the library."""
    draft: bool = False
    """Whether it tries a text that was not saved."""
    language: str = ""
    """The language it was begun in; empty for the author's own."""
    created: int = 0
    """When it began; milliseconds since 1970."""
    turns: int = 0
    """How many turns its world has seen."""
    owner: str = ""
    """Who began it; empty for a user at this machine."""
    hosted: bool = True
    """Whether it was begun here; else in a terminal or by a program."""


class PlayRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run, looked at."""

    line: PlayRunSummary
    """What it is."""
    revision: int
    """What has happened so far."""
    waiting: AwaitedInput
    """What it waits for."""
    actor: str = ""
    """Whom the player plays, where it has a world."""
    cast: list[str] = []
    """Every character of its world, in order of id."""


class RunListQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs to list; the newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most."""
    after: ShortName = ""
    """The run to go on behind."""


async def begin_run(call: OperationCall) -> OperationAnswer:
    """Begin a run."""
    body: BeginRunRequest = call.body
    if bool(body.scenario) == bool(body.story or body.draft):
        raise make_nothing_named_error()
    origin = PlayOrigin(
        scenario=body.scenario,
        story=body.story,
        draft=body.draft,
        file=body.file,
        at=body.at,
        language=body.language,
        actor=body.actor,
        seed=body.seed,
        owner=call.caller.name,
        created=call.workspace.clock.now(),
    )
    playing = await call.workspace.begin(origin, call.asked)
    moment = playing.read_state()
    return OperationAnswer(
        body=moment, revision=moment.revision, headers=(("Location", f"/api/v1/runs/{playing.id}"),)
    )


async def list_runs(call: OperationCall) -> ResultPage[PlayRunSummary]:
    """List runs, the newest first."""
    query: RunListQuery = call.query
    return await asyncio.to_thread(_list_summaries, call.workspace, query)


def _list_summaries(workspace: Workspace, query: RunListQuery) -> ResultPage[PlayRunSummary]:
    known = {each.run_id: each for each in workspace.parts.store.list_runs()}
    ids = sorted(workspace.list_run_ids(), reverse=True)
    remaining = [id for id in ids if not query.after or id < query.after]
    shown = remaining[: query.limit]
    unfinished = find_unfinished_runs(workspace.places.store)
    lines = [
        summarize_run(id, known.get(id), workspace.find_record(id), beneath=id in unfinished)
        for id in shown
    ]
    return ResultPage(lines, shown[-1] if len(remaining) > len(shown) else None)


def summarize_run(
    id: str, known: RunSummary | None, record: PlayingRecord | None, *, beneath: bool = False
) -> PlayRunSummary:
    """Summarize a run in one line, from what the store and the hosts know of it.

    `beneath` says that an unfinished story plays on it, in a terminal.
    """
    origin = record.origin if record else PlayOrigin()
    tells = bool(origin.story or origin.draft) or beneath
    kind: RunKind = "scenario" if not tells else "story on a world" if known else "story"
    return PlayRunSummary(
        id=id,
        kind=kind,
        scenario=known.scenario_id if known else origin.scenario,
        story=origin.story,
        draft=bool(origin.draft),
        language=origin.language,
        created=known.created if known else origin.created,
        turns=known.turns if known else 0,
        owner=origin.owner,
        hosted=record is not None,
    )


async def read_run(call: OperationCall) -> OperationAnswer:
    """Look at a run."""
    playing = await find_playing(call)
    moment = playing.read_state()
    run = find_world_run(playing)
    summary = None
    if run is not None:
        record = run.record
        summary = RunSummary(
            run_id=run.id, scenario_id=record.scenario_id, created=record.created, turns=run.count
        )
    unfinished = await asyncio.to_thread(find_unfinished_runs, call.workspace.places.store)
    view = PlayRunView(
        line=summarize_run(
            playing.id,
            summary,
            call.workspace.find_record(playing.id),
            beneath=playing.id in unfinished,
        ),
        revision=moment.revision,
        waiting=moment.waiting,
        actor=run.actor if run else "",
        cast=sorted(run.world.cast) if run else [],
    )
    return OperationAnswer(body=view, revision=moment.revision)


def find_world_run(playing: Playing) -> Run | None:
    """Return the run with a world that a playing uses, if there is one."""
    if isinstance(playing, ScenarioPlaying):
        return playing.run
    return playing.performance.run if isinstance(playing, StoredStoryPlaying) else None


async def read_play_state(call: OperationCall) -> OperationAnswer:
    """Where a run stands, with its scenery, for a host that comes in here."""
    moment = (await find_playing(call)).read_state()
    return OperationAnswer(body=moment, revision=moment.revision)


async def watch_run(call: OperationCall) -> object:
    """Send every change of a run, until the client disconnects."""
    run = (await find_playing(call)).id

    async def look() -> int:
        return (await call.workspace.find_playing(run)).revision

    return stream_revisions(call, run, look)


_RUN_PATH = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
RUN_OPERATIONS = (
    Operation(
        name="listRuns",
        method="GET",
        path="/runs",
        summary="List runs, the newest first",
        run=list_runs,
        query=RunListQuery,
        answers=ResultPage[PlayRunSummary],
    ),
    Operation(
        name="beginRun",
        method="POST",
        path="/runs",
        summary="Begin a run of a scenario, a story, or a draft",
        run=begin_run,
        takes=BeginRunRequest,
        takes_text=True,
        answers=PlayState,
        needs="play",
        status=201,
        keyed=True,
        tags=True,
        codes=("NOTHING_TO_PLAY", "STORY_NOT_FOUND", "IDEMPOTENCY_CONFLICT"),
        example={"scenario": "door_and_key", "language": "en"},
    ),
    Operation(
        name="readRun",
        method="GET",
        path="/runs/{run}",
        summary="Look at a run",
        run=read_run,
        answers=PlayRunView,
        tags=True,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
    ),
    Operation(
        name="readMoment",
        method="GET",
        path="/runs/{run}/moment",
        summary="Where a run stands: what to show, and what it waits for",
        run=read_play_state,
        answers=PlayState,
        tags=True,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
    ),
    Operation(
        name="watchRun",
        method="GET",
        path="/runs/{run}/live",
        summary="Be told of every change of a run, as server-sent events",
        run=watch_run,
        answers=bytes,
        media="text/event-stream",
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
        streams=True,
    ),
)


TurnNumber = Annotated[int, msgspec.Meta(ge=-1, le=1_000_000_000)]
"""A turn's number; -1 for the beginning."""
ShortFilter = Annotated[str, msgspec.Meta(max_length=200)]


async def find_run(call: OperationCall) -> Run:
    """Return the run with a world that the path names.

    Raises:
        RunError: `WORLD_MISSING` for a story without one.
        SaniwaError: It cannot be found, or continued.
    """
    playing = await find_playing(call)
    run = find_world_run(playing)
    if run is None:
        raise make_missing_world_error(playing.id)
    return run


async def find_inspector(call: OperationCall) -> RunInspector:
    """Return the inspector of the run that the path names."""
    return call.workspace.open_inspector(await find_run(call))


def resolve_turn(run: Run, number: int | None) -> int:
    """Return a turn's number; the last, if none is named.

    Raises:
        RunError: `TURN_NOT_FOUND`.
    """
    if number is None:
        return run.count - 1
    if number >= run.count:
        raise make_turn_error(run, number)
    return number


def make_turn_error(run: Run, number: int) -> RunError:
    """Return the error for a turn that the run does not have."""
    hint = f"it has turns 0 to {run.count - 1}" if run.count else "it has no turns yet"
    return RunError(
        "TURN_NOT_FOUND",
        f"the run has no turn {number}",
        hint=hint,
        details={"run": run.id, "turn": number, "turns": run.count},
    )


def resolve_actor(run: Run, named: str) -> Id:
    """Return a character of the run; the player's own, if none is named.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    return Id(find_player_character(run.world, named)) if named else run.actor
