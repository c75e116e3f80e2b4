"""Playing: steps, choices, words, going back."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.rooms.found import hosted_in, own_in
from saniwa.run.hosted.moment import Moment
from saniwa.run.hosted.understanding import Understanding, understanding
from saniwa.script.directive import StepResult

LONGEST = 4_000
"""Letters of what somebody may say at once."""
Said = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Named = Annotated[str, msgspec.Meta(max_length=200)]


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bodies have no fields we do not know."""


class Choice(_Body, frozen=True, kw_only=True):
    """One of the choices that were offered."""

    index: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    """Which, from 0."""


class Words(_Body, frozen=True, kw_only=True):
    """What somebody says or does."""

    text: Said
    """The words."""
    actor: Named = ""
    """Who speaks; empty for whoever the run is played as."""


class Back(_Body, frozen=True, kw_only=True):
    """How far to go back."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """How many steps."""


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """What was passed over, and where that ended."""

    moment: Moment
    """Where it ended."""
    passed: list[StepResult]
    """What was passed."""


class Reading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of a backlog."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many steps at most, counted from the last."""


def told(call: Call, moment: Moment) -> Answer:
    """A moment as it is answered; whoever watches the run is rung."""
    call.garden.bell.ring(moment.run)
    return Answer(body=moment, revision=moment.revision)


async def step(call: Call) -> Answer:
    """Go on."""
    return told(call, await (await own_in(call)).step(call.request))


async def choose(call: Call) -> Answer:
    """Take a choice, and go on."""
    hosted = await own_in(call)
    return told(call, await hosted.choose(call.request, call.body.index))


async def say(call: Call) -> Answer:
    """Say or do something, and go on."""
    hosted, body = await own_in(call), call.body
    actor = body.actor or None
    return told(call, await hosted.say(call.request, body.text, actor))


async def back(call: Call) -> Answer:
    """Go back."""
    hosted = await own_in(call)
    return told(call, await hosted.back(call.request, call.body.steps))


async def skip(call: Call) -> Answer:
    """Go on through what was seen before."""
    moment, passed = await (await own_in(call)).skip(call.request)
    told(call, moment)
    body = Skipped(moment=moment, passed=list(passed))
    return Answer(body=body, revision=moment.revision)


async def preview(call: Call) -> Understanding:
    """How words would be understood; nothing happens."""
    hosted, body = await hosted_in(call), call.body
    return understanding(await hosted.preview(body.text, body.actor or None))


async def read_backlog(call: Call) -> Page[StepResult]:
    """What was shown, oldest first, as far as it is kept."""
    shown: Sequence[StepResult] = (await hosted_in(call)).backlog()
    return Page(list(shown[-call.query.limit :]))


_RUN = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_STALE = ("RUN_NOT_FOUND", "NOT_YOURS", "REVISION_CONFLICT", "IDEMPOTENCY_CONFLICT")


def _change(name: str, path: str, summary: str, **more: object) -> Operation:
    settings: dict[str, object] = {
        "answers": Moment,
        "codes": _STALE,
        "path_examples": _RUN,
        **more,
    }
    return Operation(
        name=name,
        method="POST",
        path=path,
        summary=summary,
        needs="play",
        changes=True,
        tags=True,
        **settings,  # type: ignore[arg-type]
    )


OPERATIONS = (
    _change("takeStep", "/runs/{run}/steps", "Go on to the next step", run=step),
    _change(
        "choose",
        "/runs/{run}/choices",
        "Take one of the choices, and go on",
        run=choose,
        takes=Choice,
        codes=(*_STALE, "CHOICE_NOT_AWAITED", "CHOICE_OUT_OF_RANGE", "CHOICE_DISABLED"),
        example={"index": 0},
    ),
    _change(
        "say",
        "/runs/{run}/words",
        "Say or do something in one's own words, and go on",
        run=say,
        takes=Words,
        codes=(*_STALE, "ANSWER_NOT_AWAITED"),
        example={"text": "take the lantern"},
    ),
    _change(
        "goBack",
        "/runs/{run}/back",
        "Go back, in the story and in its world",
        run=back,
        takes=Back,
        example={"steps": 1},
    ),
    _change(
        "skip",
        "/runs/{run}/skip",
        "Go on through what was seen before, to the first new line or choice",
        run=skip,
        answers=Skipped,
    ),
    Operation(
        name="previewWords",
        method="POST",
        path="/runs/{run}/preview",
        summary="How words would be understood and judged; nothing happens",
        run=preview,
        takes=Words,
        answers=Understanding,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
        example={"text": "open the gate"},
    ),
    Operation(
        name="readBacklog",
        method="GET",
        path="/runs/{run}/backlog",
        summary="What was shown, oldest first, as far as it is kept",
        run=read_backlog,
        query=Reading,
        answers=Page[StepResult],
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN,
    ),
)
