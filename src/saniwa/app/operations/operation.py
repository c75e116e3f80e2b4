"""One row of the operation table: what it takes, what it answers, what it needs."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import iscoroutinefunction
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, Generic, Literal, TypeVar, cast, get_args, get_origin
from urllib.parse import quote

import msgspec

from saniwa.app import describe
from saniwa.app.caller import Caller, Permission
from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProcessError, ProtocolError
from saniwa.core.findings import Finding, Severity
from saniwa.core.text import quote_value
from saniwa.runs.playing import Playing, PlayRequest
from saniwa.runs.stored_story_playing import StoredStoryPlaying

Record = TypeVar("Record", bound=msgspec.Struct)
NO_REVISION: Final = -sys.maxsize
"""The revision of a call that came without one; no host sends it."""


def build_view(kind: type[Record], /, *sources: object, **fields: Any) -> Record:
    """Build a record of an answer: from `fields`, and from equal names of its sources.

    Records inside of the sources become those that the answer has in their place. What
    no source has keeps its default.
    """
    for source in sources:
        for name in kind.__struct_fields__:
            if name not in fields and (value := getattr(source, name, fields)) is not fields:
                fields[name] = value
    return msgspec.convert(fields, kind, from_attributes=True)


class RequestRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body or the parameters of a request; unknown fields are refused."""


ShortName = Annotated[str, msgspec.Meta(max_length=200)]
"""A name or an id that a caller sends."""


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    """A finding: what is wrong, where, and how to fix it."""

    code: str
    """The code, in upper case; the documentation explains it."""
    severity: Severity
    """`error`, `warning` or `note`; only errors prevent a file from being used."""
    message: str
    """What is wrong."""
    file: str = ""
    """The name of the file; empty if there is none."""
    line: int = 0
    """The line, from 1; 0 if unknown."""
    column: int = 0
    """The column, from 1; 0 if unknown."""
    path: str = ""
    """The path within the document."""
    hint: str = ""
    """What to do."""


def build_finding_views(findings: Iterable[Finding]) -> list[FindingView]:
    """Return findings as they are sent: files by name only, without their folders."""
    return [
        build_view(FindingView, each, each.where, file=PurePath(each.where.file).name)
        for each in findings
    ]


HttpMethod = Literal["GET", "POST", "PUT", "DELETE"]
"""The HTTP method."""
Item = TypeVar("Item")
Entry = TypeVar("Entry")

JSON_MEDIA: Final = "application/json"
"""The media type of almost every answer."""


class NoParameters(RequestRecord, frozen=True):
    """What takes no parameters."""


class ResultPage(msgspec.Struct, Generic[Item], frozen=True):
    """One page of a list."""

    items: list[Item]
    """The items of this page."""
    next: str | None = None
    """The value of `after` for the next page; null on the last page."""


def build_page(
    entries: Sequence[Entry],
    limit: int,
    name: Callable[[Entry], str],
    build: Callable[[Entry], Item],
) -> ResultPage[Item]:
    """Return the first entries as a page, continued after the name of the last."""
    shown = entries[:limit]
    more = name(shown[-1]) if len(entries) > len(shown) else None
    return ResultPage([build(each) for each in shown], more)


class OperationCall(PlayRequest, frozen=True, kw_only=True):
    """A request that was read and checked; of a change, what the run is asked."""

    workspace: Workspace
    """The workspace that is served."""
    caller: Caller
    """The caller."""
    path: Mapping[str, str]
    """The variable parts of the path."""
    query: Any
    """The query parameters, as the operation's own struct."""
    body: Any
    """The body, as the operation's own struct; None if it takes none."""
    revision: int = NO_REVISION
    """The revision that the sender has seen."""
    key: str = ""
    """The key as it was sent: the log of a gate shows it, and other doors know it by that."""
    scope: MutableMapping[str, Any] = msgspec.field(default_factory=dict)
    """The ASGI scope of the request; empty at other doors."""
    find_share: Callable[[], str] = str
    """Returns whose share of the work it takes, where the door limits that."""

    @property
    def request(self) -> PlayRequest:
        """The call, as a hosted run needs it: with a revision.

        Raises:
            ProtocolError: `REVISION_NEEDED` if the sender did not send a revision.
        """
        if self.revision == NO_REVISION:
            raise describe("REVISION_NEEDED").to_error(ProtocolError)
        return self

    async def find_playing(self) -> Playing:
        """Return the run that the path names.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
            SaniwaError: It cannot be continued.
        """
        return await self.workspace.find_playing(self.path["run"])

    async def find_own_playing(self, *, current: bool = True) -> Playing:
        """Return the run, if the caller may play it: its owner plays, others watch.

        A run without an owner may be played from this machine, and by people. `current`
        as for `PlayingService.find_playing`.

        Raises:
            ProcessError: `NOT_YOURS`.
            SaniwaError: As `find_playing`.
        """
        playing = await self.workspace.find_playing(self.path["run"], current=current)
        if self.caller.by == "nearness":
            return playing
        owner = self._find_owner(playing)
        if owner != self.caller.name if owner else "change" not in self.caller.permissions:
            whose = quote_value(owner) if owner else "the user of the server's own machine"
            said = describe("NOT_YOURS", whose=whose, run=playing.id, owner=owner)
            raise said.to_error(ProcessError)
        return playing

    def _find_owner(self, playing: Playing) -> str:
        """Return who began a run; empty if the caller had not signed in."""
        if isinstance(playing, StoredStoryPlaying):
            return playing.origin.owner
        record = self.workspace.find_record(playing.id)
        return record.origin.owner if record else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationAnswer(Generic[Item]):
    """An answer that is more than a body, which is published as an `Item`."""

    body: Any = None
    """A struct, which becomes JSON; or bytes, with their media type."""
    revision: int | None = None
    """The revision, for the ETag."""
    media: str = JSON_MEDIA
    """The media type of the body."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers."""


@dataclass(frozen=True, slots=True)
class RevisionStream:
    """An answer that goes on: every new revision, until the client leaves."""

    name: str
    """What is watched, as the notifier of the workspace knows it."""
    look: Callable[[], Awaitable[int]]
    """Reads the newest revision."""
    event: str = "revision"
    """The description of the result for a client."""


def build_location_header(room: str, id: str) -> tuple[str, str]:
    """Return the Location header of something new; the id is quoted."""
    return "Location", f"/api/v1/{room}/{quote(id, safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API."""

    name: str
    """Its own name, for clients: a verb and a noun in camelCase."""
    method: HttpMethod
    """The HTTP method."""
    path: str
    """The path over HTTP, below the version; empty where HTTP does not offer it."""
    line: str = ""
    """The `op` of a host's line; empty where hosts have none."""
    tools: tuple[str, ...] = ()
    """The tools of MCP that do it, or a part of it; each has an answer of its own form."""
    summary: str
    """What it does, in a line."""
    handler: Callable[..., Any]
    """Handles a call; returns a struct, an `OperationAnswer` or a response.

    One that is no coroutine runs in a thread.
    """
    answers: Any
    """The struct of a successful answer; `bytes` for a file, None for nothing."""
    takes: Any = None
    """The struct of its body."""
    query: type[msgspec.Struct] = NoParameters
    """The struct of its parameters."""
    codes: tuple[str, ...] = ()
    """The error codes it may answer with, besides those of every operation."""
    takes_text: bool = False
    """Whether its body has a text, and so may be larger than 64 KiB."""
    has_findings: bool = False
    """Whether its answer has findings of a story, in the language of the reader."""
    needs: Permission | None = "look"
    """The permission that the caller needs; None if it is public."""
    creates: bool = False
    """Whether it creates something, takes an `Idempotency-Key`, and answers 201."""
    changes: bool = False
    """Whether it needs `If-Match`, and takes an `Idempotency-Key`."""
    needs_key: bool = False
    """Whether it is refused without an `Idempotency-Key`."""
    tags: bool = False
    """Whether its answer has an `ETag`; that of a change always has."""
    media: str = JSON_MEDIA
    """The media type of its answer."""
    example: Any = None
    """A valid body, as JSON."""
    path_examples: Mapping[str, str] = field(default_factory=dict)
    """Example values for the path."""

    @property
    def status(self) -> int:
        """The status of a successful answer."""
        return 201 if self.creates else 204 if self.answers is None else 200

    @property
    def streams(self) -> bool:
        """Whether the answer goes on until the client disconnects."""
        return self.media == "text/event-stream"

    @property
    def has_shipped_texts(self) -> bool:
        """Whether its answer may have texts of shipped processes, rulebooks, worlds or reports."""
        return _SHIPPED_TEXTS.match(self.path) is not None

    @property
    def is_tagged(self) -> bool:
        """Whether its answer has the revision as its `ETag`."""
        return self.tags or self.changes

    async def run(self, call: OperationCall) -> Any:
        """Call the handler with the parameters and the body that it takes."""
        given = [call.query] if self.query is not NoParameters else []
        given += [call.body] if self.takes is not None else []
        if _is_coroutine(self.handler):
            return await self.handler(call, *given)
        return await asyncio.to_thread(self.handler, call, *given)


_is_coroutine = cache(iscoroutinefunction)


def define(
    route: str, codes: str = "", *, path_examples: Mapping[str, str] = {}, **traits: Any
) -> Callable[[Callable[..., Any]], Operation]:
    """Make an operation of a handler, from its name, docstring and annotations.

    Args:
        route: The method and the path, below the version; empty where HTTP has none.
        codes: The error codes it may answer with, separated by spaces.
        path_examples: Values of the path, where `PATH_EXAMPLES` has another.
        traits: Further fields of `Operation`.
    """
    method, _, path = route.partition(" ")

    def make_operation(handler: Callable[..., Any]) -> Operation:
        verb, *nouns = handler.__name__.split("_")
        hints = handler.__annotations__
        answers = bytes if hints["return"] is RevisionStream else hints["return"]
        if get_origin(answers) is OperationAnswer:
            answers = get_args(answers)[0]
        examples = {**PATH_EXAMPLES, **path_examples}
        name = verb + "".join(map(str.title, nouns))
        return Operation(
            name=name,
            method=cast(HttpMethod, method),
            path=path,
            summary=(handler.__doc__ or "").rstrip("."),
            handler=handler,
            answers=None if answers is type(None) else answers,
            takes=hints.get("body"),
            query=hints.get("query", NoParameters),
            codes=tuple(codes.split()),
            example=_load_request_examples().get(name),
            path_examples={part: examples[part] for part in PATH_PARAMETER.findall(path)},
            **traits,
        )

    return make_operation


@cache
def _load_request_examples() -> dict[str, Any]:
    """Return a valid body of every operation that takes one."""
    text = Path(__file__).with_name("request_examples.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Any])


_SHIPPED_TEXTS: Final = re.compile(
    r"/(processes|gate/|rulebooks|scenarios$|.+/(rulebook|report|compare/[^/]+)$|runs/{run}/turns/{turn}$)"
)
PATH_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
"""A variable part of a path."""
PATH_EXAMPLES: Final = {
    "run": "run-019471a2-7c8d-7000-8000-000000000001",
    "turn": "0",
    "name": "before the gate",
    "scenario": "door_and_key",
    "story": "lantern-island",
    "path": "story.md",
    "process": "exploration",
    "number": "1",
    # It exists as soon as there is any experiment.
    "experiment": "last",
    "other": "last",
    "cell": "0",
    "question": "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "journal": "agent-019471a2-7c8d-7000-8000-000000000001",
}
"""Example values for the variable parts of paths."""


MAX_TEXT_LENGTH: Final = 300_000
"""The largest number of characters of a text; reading such a text takes seconds."""
AuthoredText = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_LENGTH)]
"""A text that an author writes."""
