"""Playing a run: steps, choices, words, going back, and saves."""

from typing import Annotated

import msgspec

from saniwa.app.host_command_execution import perform_host_command
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationAnswer, OperationCall, ResultPage, define
from saniwa.language.host_commands import find_host_command
from saniwa.runs.playing import PlayState, PreviewSummary, SaveSlot, summarise_preview
from saniwa.story.step_result import StepResult

_CHANGE_CODES = "RUN_NOT_FOUND NOT_YOURS REVISION_CONFLICT IDEMPOTENCY_CONFLICT"

MAX_WORDS_LENGTH = 4_000
"""The largest number of characters of what a player may say at once."""
PlayerWords = Annotated[str, msgspec.Meta(max_length=MAX_WORDS_LENGTH)]


class ChooseRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The choice to take."""

    index: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    """The number of the choice, from 0."""


class SayRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """What a character says or does."""

    text: PlayerWords
    """The words."""
    actor: operation.ShortName | None = None
    """The character who speaks; null or empty for the run's own character."""


class GoBackRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """How many steps to undo."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """The number of steps."""


class SkipResult(msgspec.Struct, frozen=True, kw_only=True):
    """The skipped steps, and the position after them."""

    moment: PlayState
    """The new position."""
    passed: list[StepResult]
    """The skipped steps."""


class BacklogQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which part of a backlog."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 100
    """How many steps at most, counted from the last."""


def _notify_watchers(call: OperationCall, moment: PlayState) -> PlayState:
    call.workspace.notifier.notify(moment.run)
    return moment


@define("POST /runs/{run}/steps", _CHANGE_CODES, line="step", needs="play", changes=True)
async def take_step(call: OperationCall) -> PlayState:
    """Continue to the next step."""
    return _notify_watchers(
        call, await (await call.find_own_playing(current=False)).step(call.request)
    )


@define(
    "POST /runs/{run}/choices",
    f"{_CHANGE_CODES} CHOICE_NOT_AWAITED CHOICE_OUT_OF_RANGE CHOICE_DISABLED",
    line="choose",
    needs="play",
    changes=True,
)
async def choose(call: OperationCall, body: ChooseRequest) -> PlayState:
    """Choose an option and continue."""
    playing = await call.find_own_playing(current=False)
    return _notify_watchers(call, await playing.choose(call.request, body.index))


@define(
    "POST /runs/{run}/words",
    f"{_CHANGE_CODES} ANSWER_NOT_AWAITED SAVE_NOT_FOUND SAVES_TOO_MANY",
    line="say",
    tools=("say",),
    needs="play",
    changes=True,
)
async def say(call: OperationCall, body: SayRequest) -> PlayState:
    """Say or do something in free text and continue, or use a command such as undo."""
    playing = await call.find_own_playing(current=False)
    # Where a story asks for the reader's own words, a command needs a slash.
    actor, command = body.actor or None, find_host_command(body.text, slash=playing.asks_freely)
    if command is not None:
        said = await perform_host_command(command, playing, call.request, actor)
    else:
        said = await playing.say(call.request, body.text, actor)
    return _notify_watchers(call, said)


@define("POST /runs/{run}/back", _CHANGE_CODES, line="back", needs="play", changes=True)
async def go_back(call: OperationCall, body: GoBackRequest) -> PlayState:
    """Undo one or more steps, in the story and in its world."""
    playing = await call.find_own_playing(current=False)
    return _notify_watchers(call, await playing.back(call.request, body.steps))


@define("POST /runs/{run}/skip", _CHANGE_CODES, line="skip", needs="play", changes=True)
async def skip(call: OperationCall) -> OperationAnswer[SkipResult]:
    """Skip what was seen before, up to the first new line or choice."""
    moment, passed = await (await call.find_own_playing(current=False)).skip(call.request)
    _notify_watchers(call, moment)
    body = SkipResult(moment=moment, passed=list(passed))
    return OperationAnswer(body=body, revision=moment.revision)


@define("POST /runs/{run}/preview", "RUN_NOT_FOUND", line="preview", tools=("preview",))
async def preview_words(call: OperationCall, body: SayRequest) -> PreviewSummary:
    """Preview how words would be understood and judged; nothing happens."""
    playing = await call.find_playing()
    foreseen = summarise_preview(await playing.preview(body.text, body.actor or None))
    command = find_host_command(body.text, slash=playing.asks_freely)
    return msgspec.structs.replace(foreseen, host=command.name) if command else foreseen


@define("GET /runs/{run}/backlog", "RUN_NOT_FOUND", line="backlog")
async def read_backlog(call: OperationCall, query: BacklogQuery) -> ResultPage[StepResult]:
    """List the steps shown so far, oldest first, as far as they are stored."""
    shown = (await call.find_playing()).list_backlog()
    return ResultPage(list(shown[-query.limit :]))


@define("GET /runs/{run}/saves", "RUN_NOT_FOUND", line="saves")
async def list_saves(call: OperationCall) -> ResultPage[SaveSlot]:
    """List the saves of a run."""
    return ResultPage(list((await call.find_playing()).list_saves()))


@define(
    "PUT /runs/{run}/saves/{name}",
    "RUN_NOT_FOUND SAVE_UNNAMED SAVES_TOO_MANY NOT_YOURS",
    line="save",
    needs="play",
)
async def save(call: OperationCall) -> SaveSlot:
    """Save the current position of a run."""
    return await (await call.find_own_playing(current=False)).save(call.path["name"])


@define(
    "DELETE /runs/{run}/saves/{name}",
    "RUN_NOT_FOUND SAVE_NOT_FOUND SAVE_KEPT NOT_YOURS",
    line="remove",
    needs="play",
)
async def remove_save(call: OperationCall) -> None:
    """Delete a save."""
    await (await call.find_own_playing(current=False)).remove_save(call.path["name"])


@define(
    "POST /runs/{run}/saves/{name}/load",
    "RUN_NOT_FOUND SAVE_NOT_FOUND REVISION_CONFLICT NOT_YOURS",
    line="load",
    needs="play",
    changes=True,
)
async def load_save(call: OperationCall) -> PlayState:
    """Load a save."""
    playing = await call.find_own_playing(current=False)
    return _notify_watchers(call, await playing.load(call.request, call.path["name"]))
