"""Runs: begun, listed, looked at."""

import asyncio
from typing import Annotated, Literal

import msgspec

from saniwa.api.live import live
from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.rooms.found import hosted_in
from saniwa.api.texts import Text
from saniwa.run.conductor import Run
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.moment import Awaits, Moment
from saniwa.run.hosted.record import HostRecord, Origin
from saniwa.run.hosted.scenario import HostedRun
from saniwa.run.hosted.story import HostedStory
from saniwa.store.layout import RunSummary
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.garden.hosting import nothing_named
from saniwa.wiring.keeping import left_runs

Kind = Literal["scenario", "story", "story on a world"]
"""What a run plays."""
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
Named = Annotated[str, msgspec.Meta(max_length=200)]


class Begin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a new run plays: a scenario, a story, or a draft, which may be of a story."""

    scenario: Named = ""
    """A scenario's id."""
    story: Named = ""
    """A story's id."""
    draft: Text = ""
    """A story's text, to be tried before it is saved; with a story, one of its files."""
    file: Named = ""
    """The file of the story that the draft is of; empty for the one it begins in."""
    at: Named = ""
    """The section to begin at, or a line such as `:12`; empty for the beginning."""
    language: Named = ""
    """The language; empty for the author's own."""
    actor: Named = ""
    """Whom to play; empty for the one the scenario names."""
    seed: Seed = 0
    """Where chance starts."""


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line."""

    id: str
    """Its id."""
    kind: Kind
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
    """Who began it; empty for somebody at this machine."""
    hosted: bool = True
    """Whether it was begun here; else in a terminal or by a program."""


class RunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run, looked at."""

    line: RunLine
    """What it is."""
    revision: int
    """What has happened so far."""
    waiting: Awaits
    """What it waits for."""
    actor: str = ""
    """Whom the player plays, where it has a world."""
    cast: list[str] = []
    """Every character of its world, in order of id."""


class Listing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs to list; the newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most."""
    after: Named = ""
    """The run to go on behind."""


async def begin(call: Call) -> Answer:
    """Begin a run."""
    body: Begin = call.body
    if bool(body.scenario) == bool(body.story or body.draft):
        raise nothing_named()
    origin = Origin(
        scenario=body.scenario,
        story=body.story,
        draft=body.draft,
        file=body.file,
        at=body.at,
        language=body.language,
        actor=body.actor,
        seed=body.seed,
        owner=call.caller.name,
        created=call.garden.clock.now(),
    )
    hosted = await call.garden.begin(origin, call.asked)
    moment = hosted.moment()
    return Answer(
        body=moment,
        revision=moment.revision,
        headers=(("Location", f"/api/v1/runs/{hosted.id}"),),
    )


async def list_runs(call: Call) -> Page[RunLine]:
    """List runs, the newest first."""
    query: Listing = call.query
    return await asyncio.to_thread(_listed, call.garden, query)


def _listed(garden: Garden, query: Listing) -> Page[RunLine]:
    known = {each.run_id: each for each in garden.parts.store.runs()}
    ids = sorted(garden.run_ids(), reverse=True)
    behind = [id for id in ids if not query.after or id < query.after]
    shown = behind[: query.limit]
    left = left_runs(garden.places.store)
    lines = [
        line_of(id, known.get(id), garden.record(id), beneath=id in left)
        for id in shown
    ]
    return Page(lines, shown[-1] if len(behind) > len(shown) else None)


def line_of(
    id: str,
    known: RunSummary | None,
    record: HostRecord | None,
    *,
    beneath: bool = False,
) -> RunLine:
    """A run in one line, from what the store and the hosts know of it.

    `beneath` says that a story on it was left in the middle, at a terminal.
    """
    origin = record.origin if record else Origin()
    tells = bool(origin.story or origin.draft) or beneath
    kind: Kind = "scenario" if not tells else "story on a world" if known else "story"
    return RunLine(
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


async def read_run(call: Call) -> Answer:
    """Look at a run."""
    hosted = await hosted_in(call)
    moment = hosted.moment()
    run = run_beneath(hosted)
    summary = None
    if run is not None:
        record = run.record
        summary = RunSummary(
            run_id=run.id,
            scenario_id=record.scenario_id,
            created=record.created,
            turns=run.count,
        )
    left = await asyncio.to_thread(left_runs, call.garden.places.store)
    view = RunView(
        line=line_of(
            hosted.id,
            summary,
            call.garden.record(hosted.id),
            beneath=hosted.id in left,
        ),
        revision=moment.revision,
        waiting=moment.waiting,
        actor=run.actor if run else "",
        cast=sorted(run.world.cast) if run else [],
    )
    return Answer(body=view, revision=moment.revision)


def run_beneath(hosted: Hosted) -> Run | None:
    """The run with a world beneath, where there is one."""
    if isinstance(hosted, HostedRun):
        return hosted.run
    return hosted.performance.run if isinstance(hosted, HostedStory) else None


async def read_moment(call: Call) -> Answer:
    """Where a run stands, with its scenery, for a host that comes in here."""
    moment = (await hosted_in(call)).moment()
    return Answer(body=moment, revision=moment.revision)


async def watch(call: Call) -> object:
    """Tell of every change of a run, for as long as somebody listens."""
    run = (await hosted_in(call)).id

    async def look() -> int:
        return (await call.garden.hosted(run)).revision

    return live(call, run, look)


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
OPERATIONS = (
    Operation(
        name="listRuns",
        method="GET",
        path="/runs",
        summary="List runs, the newest first",
        run=list_runs,
        query=Listing,
        answers=Page[RunLine],
    ),
    Operation(
        name="beginRun",
        method="POST",
        path="/runs",
        summary="Begin a run of a scenario, a story, or a draft",
        run=begin,
        takes=Begin,
        takes_text=True,
        answers=Moment,
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
        answers=RunView,
        tags=True,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
    ),
    Operation(
        name="readMoment",
        method="GET",
        path="/runs/{run}/moment",
        summary="Where a run stands: what to show, and what it waits for",
        run=read_moment,
        answers=Moment,
        tags=True,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
    ),
    Operation(
        name="watchRun",
        method="GET",
        path="/runs/{run}/live",
        summary="Be told of every change of a run, as server-sent events",
        run=watch,
        answers=bytes,
        media="text/event-stream",
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
        streams=True,
    ),
)
