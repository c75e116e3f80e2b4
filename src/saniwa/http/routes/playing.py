"""Playing a run: steps, choices, words, going back, and saves."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from saniwa.http.contract import Operation, OperationAnswer, OperationCall, ResultPage
from saniwa.http.routes.runs import find_own_playing, find_playing
from saniwa.runs.playing import PlayState, PreviewSummary, SaveSlot, summarise_preview
from saniwa.story.step_result import StepResult

MAX_WORDS_LENGTH = 4_000
"""The largest number of characters of what a player may say at once."""
PlayerWords = Annotated[str, msgspec.Meta(max_length=MAX_WORDS_LENGTH)]
ShortName = Annotated[str, msgspec.Meta(max_length=200)]


class _RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request body; unknown fields are refused."""


class ChooseRequest(_RequestBody, frozen=True, kw_only=True):
    """One of the choices that were offered."""

    index: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    """Which, from 0."""


class SayRequest(_RequestBody, frozen=True, kw_only=True):
    """What a character says or does."""

    text: PlayerWords
    """The words."""
    actor: ShortName = ""
    """Who speaks; empty for the run's own character."""


class GoBackRequest(_RequestBody, frozen=True, kw_only=True):
    """How far to go back."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """How many steps."""


class SkipResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was passed over, and where that ended."""

    moment: PlayState
    """Where it ended."""
    passed: list[StepResult]
    """What was passed."""


class BacklogQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of a backlog."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 100
    """How many steps at most, counted from the last."""


def answer_play_state(call: OperationCall, moment: PlayState) -> OperationAnswer:
    """Return a state as the answer, and notify the watchers of the run."""
    call.workspace.notifier.notify(moment.run)
    return OperationAnswer(body=moment, revision=moment.revision)


async def take_step(call: OperationCall) -> OperationAnswer:
    """Go on."""
    return answer_play_state(call, await (await find_own_playing(call)).step(call.request))


async def take_choice(call: OperationCall) -> OperationAnswer:
    """Take a choice, and go on."""
    playing = await find_own_playing(call)
    return answer_play_state(call, await playing.choose(call.request, call.body.index))


async def say_words(call: OperationCall) -> OperationAnswer:
    """Say or do something, and go on."""
    playing, body = await find_own_playing(call), call.body
    actor = body.actor or None
    return answer_play_state(call, await playing.say(call.request, body.text, actor))


async def go_back(call: OperationCall) -> OperationAnswer:
    """Go back."""
    playing = await find_own_playing(call)
    return answer_play_state(call, await playing.back(call.request, call.body.steps))


async def skip_seen(call: OperationCall) -> OperationAnswer:
    """Go on through what was seen before."""
    moment, passed = await (await find_own_playing(call)).skip(call.request)
    answer_play_state(call, moment)
    body = SkipResult(moment=moment, passed=list(passed))
    return OperationAnswer(body=body, revision=moment.revision)


async def preview_words(call: OperationCall) -> PreviewSummary:
    """How words would be understood; nothing happens."""
    playing, body = await find_playing(call), call.body
    return summarise_preview(await playing.preview(body.text, body.actor or None))


async def read_backlog(call: OperationCall) -> ResultPage[StepResult]:
    """What was shown, oldest first, as far as it is kept."""
    shown: Sequence[StepResult] = (await find_playing(call)).list_backlog()
    return ResultPage(list(shown[-call.query.limit :]))


_RUN_PATH = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
_CHANGE_CODES = ("RUN_NOT_FOUND", "NOT_YOURS", "REVISION_CONFLICT", "IDEMPOTENCY_CONFLICT")


def _define_change(name: str, path: str, summary: str, **more: object) -> Operation:
    settings: dict[str, object] = {
        "answers": PlayState,
        "codes": _CHANGE_CODES,
        "path_examples": _RUN_PATH,
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


PLAYING_OPERATIONS = (
    _define_change("takeStep", "/runs/{run}/steps", "Go on to the next step", run=take_step),
    _define_change(
        "choose",
        "/runs/{run}/choices",
        "Take one of the choices, and go on",
        run=take_choice,
        takes=ChooseRequest,
        codes=(*_CHANGE_CODES, "CHOICE_NOT_AWAITED", "CHOICE_OUT_OF_RANGE", "CHOICE_DISABLED"),
        example={"index": 0},
    ),
    _define_change(
        "say",
        "/runs/{run}/words",
        "Say or do something in one's own words, and go on",
        run=say_words,
        takes=SayRequest,
        codes=(*_CHANGE_CODES, "ANSWER_NOT_AWAITED"),
        example={"text": "take the lantern"},
    ),
    _define_change(
        "goBack",
        "/runs/{run}/back",
        "Go back, in the story and in its world",
        run=go_back,
        takes=GoBackRequest,
        example={"steps": 1},
    ),
    _define_change(
        "skip",
        "/runs/{run}/skip",
        "Go on through what was seen before, to the first new line or choice",
        run=skip_seen,
        answers=SkipResult,
    ),
    Operation(
        name="previewWords",
        method="POST",
        path="/runs/{run}/preview",
        summary="How words would be understood and judged; nothing happens",
        run=preview_words,
        takes=SayRequest,
        answers=PreviewSummary,
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
        example={"text": "open the gate"},
    ),
    Operation(
        name="readBacklog",
        method="GET",
        path="/runs/{run}/backlog",
        summary="What was shown, oldest first, as far as it is kept",
        run=read_backlog,
        query=BacklogQuery,
        answers=ResultPage[StepResult],
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
    ),
)


async def list_saves(call: OperationCall) -> ResultPage[SaveSlot]:
    """List the places of a run, in order of name."""
    return ResultPage(list((await find_playing(call)).list_saves()))


async def save_run(call: OperationCall) -> SaveSlot:
    """Name the point where a run stands; the same name moves."""
    return await (await find_own_playing(call)).save(call.path["name"])


async def load_save(call: OperationCall) -> OperationAnswer:
    """Go to such a place."""
    playing = await find_own_playing(call)
    return answer_play_state(call, await playing.load(call.request, call.path["name"]))


async def remove_save(call: OperationCall) -> None:
    """Forget such a place."""
    await (await find_own_playing(call)).remove_save(call.path["name"])


_SAVE_PATH = {**_RUN_PATH, "name": "before the gate"}
SAVE_OPERATIONS = (
    Operation(
        name="listSaves",
        method="GET",
        path="/runs/{run}/saves",
        summary="List the places of a run to come back to",
        run=list_saves,
        answers=ResultPage[SaveSlot],
        codes=("RUN_NOT_FOUND",),
        path_examples=_RUN_PATH,
    ),
    Operation(
        name="save",
        method="PUT",
        path="/runs/{run}/saves/{name}",
        summary="Name the point where a run stands",
        run=save_run,
        answers=SaveSlot,
        needs="play",
        codes=("RUN_NOT_FOUND", "SAVE_UNNAMED", "SAVES_TOO_MANY", "NOT_YOURS"),
        path_examples=_SAVE_PATH,
    ),
    Operation(
        name="removeSave",
        method="DELETE",
        path="/runs/{run}/saves/{name}",
        summary="Forget such a place",
        run=remove_save,
        answers=None,
        needs="play",
        status=204,
        codes=("RUN_NOT_FOUND", "SAVE_NOT_FOUND", "SAVE_KEPT", "NOT_YOURS"),
        path_examples=_SAVE_PATH,
    ),
    Operation(
        name="loadSave",
        method="POST",
        path="/runs/{run}/saves/{name}/load",
        summary="Go back to such a place",
        run=load_save,
        answers=PlayState,
        needs="play",
        changes=True,
        tags=True,
        codes=("RUN_NOT_FOUND", "SAVE_NOT_FOUND", "REVISION_CONFLICT", "NOT_YOURS"),
        path_examples=_SAVE_PATH,
    ),
)
