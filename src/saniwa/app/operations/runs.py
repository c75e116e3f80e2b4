"""Runs: creating, listing and reading them; and finding the run of a request."""

import asyncio
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Annotated, Literal

import msgspec

from saniwa.app import describe
from saniwa.app.old_terminal_saves import find_unfinished_runs
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationAnswer, OperationCall, build_view, define
from saniwa.app.playing_service import (
    make_no_run_error,
    make_nothing_named_error,
    make_story_book_error,
)
from saniwa.app.workspace import Workspace
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import RunError, SaniwaError
from saniwa.runs.errors import make_missing_world_error
from saniwa.runs.playing import AwaitedInput, Playing, PlayState
from saniwa.runs.playing_record import PlayingRecord, PlayOrigin
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunInspector
from saniwa.runs.seat_order import find_player_character
from saniwa.store.run_id_lookup import LAST
from saniwa.store.run_records import RunSummary
from saniwa.world.model import Id

RUN_CODES = "RUN_NOT_FOUND WORLD_MISSING"
"""Error codes of finding a run with a world."""


class RunChangeResult(msgspec.Struct, frozen=True, kw_only=True):
    """Confirmation of a change to a run."""

    run: str
    """The run."""
    revision: int
    """Its new revision."""


def answer_run_change(call: OperationCall, playing: Playing, revision: int) -> RunChangeResult:
    """Return that a run was changed, and notify its watchers."""
    call.workspace.notifier.notify(playing.id)
    return RunChangeResult(run=playing.id, revision=revision)


RunKind = Literal["scenario", "story", "story on a world"]
"""What a run plays."""
SeedNumber = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class BeginRunRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """What to play: a scenario, a story, or a draft of a story."""

    scenario: operation.ShortName = ""
    """A scenario's id."""
    story: operation.ShortName = ""
    """A story's id."""
    draft: operation.AuthoredText = ""
    """The text of a story that has not been saved; with a story, one of its files."""
    file: operation.ShortName = ""
    """The file that the draft replaces; empty for the story's first file."""
    at: operation.ShortName = ""
    """The section to start at, or a line such as `:12`; empty for the beginning."""
    language: operation.ShortName = ""
    """The language; empty for the original."""
    actor: operation.ShortName = ""
    """The character to play; empty for the scenario's own."""
    book: operation.ShortName = ""
    """The name of the rulebook to use for a scenario; empty for the scenario's own."""
    seed: SeedNumber = 0
    """The seed for randomness."""


class PlayRunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list."""

    id: str
    """Its id."""
    kind: RunKind
    """What is played."""
    scenario: str = ""
    """The id of the scenario, if the run has a world."""
    story: str = ""
    """The id of the story, if it is in the library."""
    file: str = ""
    """The file name of a story that is not in the library."""
    title: str = ""
    """The title of what is played; empty if it has none or cannot be read."""
    draft: bool = False
    """Whether it plays an unsaved text."""
    language: str = ""
    """The language it was started in; empty for the original."""
    created: int = 0
    """The start, in milliseconds since 1970."""
    turns: int = 0
    """The number of turns in its world."""
    owner: str = ""
    """The user who started it; empty for a user on this machine."""
    hosted: bool = True
    """Whether it can be continued here.

    False for a scenario started by a terminal or a program, and for a world whose story
    cannot be found.
    """


class PlayRunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run in detail."""

    line: PlayRunSummary
    """The run in short."""
    revision: int
    """Its revision."""
    waiting: AwaitedInput
    """The input that it waits for."""
    actor: str = ""
    """The player's character, if the run has a world."""
    cast: list[str] = []
    """Every character of its world, in order of id."""


class RunListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which runs to list; the newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most."""
    after: operation.ShortName = ""
    """The run to go on behind."""


warm_decoders(PlayOrigin)


@define("GET /runs")
def list_runs(call: OperationCall, query: RunListQuery) -> operation.ResultPage[PlayRunSummary]:
    """List runs, newest first."""
    workspace = call.workspace
    known = {each.run_id: each for each in workspace.runs.store.list_runs()}
    ids = sorted(workspace.list_run_ids(), reverse=True)
    remaining = [id for id in ids if not query.after or id < query.after]
    unfinished = find_unfinished_runs(workspace.places.store)

    def summarize(id: str) -> PlayRunSummary:
        record = workspace.find_record(id)
        line = summarize_run(id, known.get(id), record, beneath=id in unfinished)
        return add_title(line, record, workspace)

    return operation.build_page(remaining, query.limit, str, summarize)


def summarize_run(
    id: str, known: RunSummary | None, record: PlayingRecord | None, *, beneath: bool = False
) -> PlayRunSummary:
    """Summarize a run in one line, from what the store and the hosts know of it.

    `beneath` says that an unfinished story plays on it, in a terminal.
    """
    origin = record.origin if record else PlayOrigin()
    tells = bool(origin.story or origin.draft or origin.path) or beneath
    kind: RunKind = "scenario" if not tells else "story on a world" if known else "story"
    return build_view(
        PlayRunSummary,
        known,
        origin,
        id=id,
        kind=kind,
        scenario=known.scenario_id if known else origin.scenario,
        file=PurePosixPath(origin.path).name,
        draft=bool(origin.draft),
        hosted=record is not None,
    )


def add_title(
    line: PlayRunSummary, record: PlayingRecord | None, workspace: Workspace
) -> PlayRunSummary:
    """Add the title of the story or scenario, if it can be read; a run outlives both."""
    title = ""
    with suppress(SaniwaError):
        if record is not None and (record.origin.story or record.origin.path):
            edition = workspace.playings.find_story_place(record.origin)
            title = edition.find_edition(record.origin.language or None).title
        elif line.scenario:
            scenario = workspace.runs.store.load_record(line.id).scenario
            title = str(scenario.get("title") or "")
    return msgspec.structs.replace(line, title=title)


@define(
    "POST /runs",
    "NOTHING_TO_PLAY STORY_NOT_FOUND RULE_UNKNOWN_BOOK IDEMPOTENCY_CONFLICT",
    line="begin",
    tools=("begin_run",),
    needs="play",
    creates=True,
    tags=True,
    takes_text=True,
)
async def begin_run(call: OperationCall, body: BeginRunRequest) -> OperationAnswer[PlayState]:
    """Start a run of a scenario, a story or a draft."""
    if bool(body.scenario) == bool(body.story or body.draft):
        raise make_nothing_named_error()
    if body.book and not body.scenario:
        raise make_story_book_error()
    owner, created = call.caller.name, call.workspace.clock.now()
    origin = build_view(PlayOrigin, body, owner=owner, created=created)
    playing = await call.workspace.begin(origin, call.asked)
    header = ("Location", f"/api/v1/runs/{playing.id}")
    return OperationAnswer(body=playing.read_state(), headers=(header,))


@define("GET /runs/{run}", "RUN_NOT_FOUND", tags=True)
async def read_run(call: OperationCall) -> PlayRunView:
    """Get a run."""
    playing = await call.find_playing()
    run = playing.world_run
    known = None
    if run is not None:
        scenario, created = run.record.scenario_id, run.record.created
        known = RunSummary(run_id=run.id, scenario_id=scenario, created=created, turns=run.count)
    unfinished = await asyncio.to_thread(find_unfinished_runs, call.workspace.places.store)
    record, beneath = call.workspace.find_record(playing.id), playing.id in unfinished
    line = summarize_run(playing.id, known, record, beneath=beneath)
    return build_view(
        PlayRunView,
        playing.read_state(),
        line=await asyncio.to_thread(add_title, line, record, call.workspace),
        actor=run.actor if run else "",
        cast=sorted(run.world.cast) if run else [],
    )


class ResumeRunRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """Which run to go on with."""

    run: operation.ShortName = LAST
    """Its id; `last` for the newest."""


@define("", "RUN_NOT_FOUND", line="resume")
async def resume_run(call: OperationCall, body: ResumeRunRequest) -> PlayState:
    """Go on with a run, in this process or a later one."""
    ids = call.workspace.list_run_ids
    named = max(ids(), default="") if body.run == LAST else body.run
    if not named:
        raise make_no_run_error(LAST)
    return (await call.workspace.find_playing(named)).read_state()


@define("GET /runs/{run}/moment", "RUN_NOT_FOUND", line="moment", tools=("look",), tags=True)
async def read_moment(call: OperationCall) -> PlayState:
    """Get the current step of a run: what to show, and what input it waits for."""
    return (await call.find_playing()).read_state()


@define("GET /runs/{run}/live", "RUN_NOT_FOUND", media="text/event-stream")
async def watch_run(call: OperationCall) -> operation.RevisionStream:
    """Stream the revision of a run after every change, as server-sent events."""
    run = (await call.find_playing()).id

    async def look() -> int:
        return (await call.workspace.find_playing(run)).revision

    return operation.RevisionStream(run, look)


TurnNumber = Annotated[int, msgspec.Meta(ge=-1, le=1_000_000_000)]
"""A turn's number; -1 for the beginning."""


async def find_run(call: OperationCall) -> Run:
    """Return the run with a world that the path names.

    Raises:
        RunError: `WORLD_MISSING` for a story without one.
        SaniwaError: It cannot be found, or continued.
    """
    playing = await call.find_playing()
    run = playing.world_run
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
    hint = "" if run.count else "it has no turns yet"
    return describe(
        "TURN_NOT_FOUND", hint=hint, run=run.id, turn=number, turns=run.count, last=run.count - 1
    ).to_error(RunError)


def resolve_actor(run: Run, named: str) -> Id:
    """Return a character of the run; the player's own, if none is named.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    return Id(find_player_character(run.world, named)) if named else run.actor
