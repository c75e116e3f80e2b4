"""The JSON Lines interface through which one host plays one run at a time.

Its requests are made from the table of operations; `saniwa schema host` publishes them
as JSON Schema. Fields may be added; none changes its meaning or goes away within a
protocol number.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.caller import LOCAL_CALLER
from saniwa.app.operations import library, playing, runs
from saniwa.app.operations.catalog import OPERATIONS
from saniwa.app.operations.operation import (
    NO_REVISION,
    PATH_PARAMETER,
    AuthoredText,
    Operation,
    OperationAnswer,
    OperationCall,
    ResultPage,
    ShortName,
)
from saniwa.app.story_library import locate_story
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs import json_lines
from saniwa.runs.playing import PlayState, PreviewSummary, SaveSlot
from saniwa.story.step_result import StepResult

PLAY_PROTOCOL: Final = 1
"""Raised when an old host could misread an answer; additions do not raise it."""

NameField = Annotated[str, msgspec.Meta(max_length=1_000)]
KeyField = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{0,128}$")]
CountField = Annotated[int, msgspec.Meta(ge=0, le=2**53)]

_WIDER: Final[dict[Any, Any]] = {
    ShortName: NameField,
    ShortName | None: NameField | None,
    playing.PlayerWords: Annotated[str, msgspec.Meta(max_length=10_000)],
    AuthoredText: Annotated[str, msgspec.Meta(max_length=2_000_000)],
}
"""A host has one player, who delays only themselves: it takes longer texts than a server."""
_CURRENT_RUN: Final = ("run", "story")
"""Parts of a path that are the run of the conversation."""


class PlayBeginAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `begin` and `resume`."""

    protocol: int = PLAY_PROTOCOL
    """The protocol spoken here."""
    moment: PlayState
    """Where the run stands."""


class PlayStateAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to whatever goes on, goes back, or asks where the run stands."""

    moment: PlayState
    """Where the run stands."""


class PlaySkipAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `skip`."""

    moment: PlayState
    """Where it ended."""
    passed: list[StepResult]
    """What was passed; empty where a request was answered before."""


class PlaySavesAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `save`, `saves` and `remove`."""

    saves: list[SaveSlot]
    """The places to come back to, in order of name."""


class PlayPreviewAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `preview`."""

    understanding: PreviewSummary
    """How the words would be understood."""


class PlayBacklogAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `backlog`."""

    steps: list[StepResult]
    """What was shown, oldest first."""


class PlayAssetAnswer(json_lines.LineAnswer, frozen=True, kw_only=True):
    """Answer to `asset`."""

    media: str
    """What it is, such as `image/png`."""
    content: bytes
    """Its bytes; in base64."""


PLAY_ANSWERS: Final[tuple[type, ...]] = (
    *json_lines.list_messages(globals(), json_lines.LineAnswer),
    json_lines.ErrorAnswer,
)
"""Every answer there is."""


def _make_request_type(operation: Operation) -> type[Any]:
    """Make the request of an operation: path, parameters, body, revision and key."""
    parts = PATH_PARAMETER.findall(operation.path)
    fields: list[Any] = [(name, NameField) for name in parts if name not in _CURRENT_RUN]
    for record in (operation.query, operation.takes):
        for field in msgspec.structs.fields(record) if record is not None else ():
            kind = field.name, _WIDER.get(field.type, field.type)
            fields.append(kind if field.required else (*kind, field.default))
    if operation.changes:
        fields.append(("revision", CountField | None, None))
    if operation.changes or operation.creates:
        fields.append(("key", KeyField, ""))
    return msgspec.defstruct(
        f"Play{operation.line.title()}Request",
        fields,
        bases=(json_lines.LineRequest,),
        namespace={"__doc__": operation.summary},
        tag=operation.line,
        frozen=True,
        kw_only=True,
    )


_LINE_OPERATIONS: Final = {each.line: each for each in OPERATIONS if each.line}
PLAY_REQUESTS: Final[dict[str, type[json_lines.LineRequest]]] = {
    op: _make_request_type(each) for op, each in _LINE_OPERATIONS.items()
}
"""Every request, by the name of its operation."""


class HostDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """What a host's command names, for a `begin` request that names nothing."""

    scenario: str = ""
    """A scenario's id."""
    story: str = ""
    """A story's id, or the path of its file or folder."""
    language: str = ""
    """The language; empty for the original."""


class PlayingHandler:
    """One host's conversation, with one run of a workspace at a time."""

    def __init__(self, workspace: Workspace, defaults: HostDefaults) -> None:
        """Use a workspace, and defaults for a host that names nothing."""
        self._workspace = workspace
        self._defaults = defaults
        self._run = ""

    async def handle_line(self, line: bytes) -> json_lines.LineAnswer | json_lines.ErrorAnswer:
        """Answer one line. Never raises, whatever the host sends."""
        with json_lines.ReceivedLine(line, PLAY_REQUESTS) as sent:
            request = sent.read_request()
            operation = _LINE_OPERATIONS[str(request.__struct_config__.tag)]
            sent.answer = await self._perform(operation, msgspec.structs.asdict(request), request)
        return sent.mark_answer()

    async def _perform(
        self, operation: Operation, sent: dict[str, Any], request: json_lines.LineRequest
    ) -> json_lines.LineAnswer:
        if "{" in operation.path and not self._run:
            raise describe("RUN_NOT_FOUND/perform").to_error(StoreError)
        call = OperationCall(
            workspace=self._workspace,
            caller=LOCAL_CALLER,
            path=dict.fromkeys(_CURRENT_RUN, self._run) | sent,
            query=_fill_record(operation.query, sent),
            body=self._build_body(operation, sent),
            revision=await self._find_revision(operation, sent),
            asked=make_idempotency_key(request),
        )
        given = await operation.run(call)
        if operation in (playing.save, playing.remove_save):
            given = await playing.list_saves.run(call)
        return self._make_answer(operation, given)

    def _build_body(self, operation: Operation, sent: dict[str, Any]) -> Any:
        if operation is runs.begin_run:
            if not (sent["scenario"] or sent["story"] or sent["draft"]):
                sent |= {"scenario": self._defaults.scenario, "story": self._defaults.story}
            sent["language"] = sent["language"] or self._defaults.language
        return None if operation.takes is None else _fill_record(operation.takes, sent)

    async def _find_revision(self, operation: Operation, sent: dict[str, Any]) -> int:
        """Return the revision that the host has seen; without one, the current one."""
        if not operation.changes:
            return NO_REVISION
        if sent["revision"] is not None:
            return int(sent["revision"])
        return (await self._workspace.find_playing(self._run)).revision

    def _make_answer(self, operation: Operation, given: Any) -> json_lines.LineAnswer:
        body = given.body if isinstance(given, OperationAnswer) else given
        match body:
            case PlayState() if operation in (runs.begin_run, runs.resume_run):
                self._run = body.run
                return PlayBeginAnswer(moment=body)
            case PlayState():
                return PlayStateAnswer(moment=body)
            case playing.SkipResult():
                return PlaySkipAnswer(moment=body.moment, passed=body.passed)
            case PreviewSummary():
                return PlayPreviewAnswer(understanding=body)
            case ResultPage() if operation is playing.read_backlog:
                return PlayBacklogAnswer(steps=body.items)
            case ResultPage():
                return PlaySavesAnswer(saves=body.items)
        assert operation is library.read_asset, operation.name
        return PlayAssetAnswer(media=given.media, content=body)


def _fill_record(kind: type[msgspec.Struct], sent: dict[str, Any]) -> Any:
    return kind(**{name: sent[name] for name in kind.__struct_fields__})


def make_idempotency_key(request: json_lines.LineRequest) -> IdempotencyKey | None:
    """The request's key with a hash of its content; None if it has no key."""
    plain = msgspec.to_builtins(request)
    if not plain.get("key"):
        return None
    content = {name: plain[name] for name in plain if name not in ("id", "revision")}
    digest = sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
    return IdempotencyKey(key=plain["key"], digest=digest)


def open_playing_handler(places: WorkspacePlaces, defaults: HostDefaults) -> PlayingHandler:
    """Open the handler of a host for a workspace at these places.

    A story that is named by its path is found in the folder that contains it.

    Raises:
        StoreError: The store cannot be opened.
        ScriptError: `STORY_NOT_FOUND` for a path without a story.
    """
    if defaults.story.endswith(".md") or os.sep in defaults.story:
        folder, story, language = locate_story(Path(defaults.story))
        places = msgspec.structs.replace(places, stories=str(folder))
        defaults = msgspec.structs.replace(
            defaults, story=story, language=defaults.language or language
        )
    return PlayingHandler(Workspace(places), defaults)
