"""One row of the operation table: what it takes, what it answers, what it needs."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any, Final, Generic, Literal, TypeVar
from urllib.parse import quote

import msgspec

from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProtocolError
from saniwa.core.findings import Finding, Severity
from saniwa.http.auth.caller import Caller, Permission
from saniwa.runs.playing import PlayRequest
from saniwa.turn.record import IdempotencyKey


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake, with its place and its cure."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: Severity
    """`error`, `warning` or `note`; only errors keep a file from being used."""
    message: str
    """What is wrong."""
    file: str = ""
    """The name of the file; empty if there is none."""
    line: int = 0
    """1-based; 0 where no line is known."""
    column: int = 0
    """1-based; 0 where no column is known."""
    path: str = ""
    """The way through the document."""
    hint: str = ""
    """What to do."""


def build_finding_views(findings: Iterable[Finding]) -> list[FindingView]:
    """Return findings as they are sent: files by name only, without their folders."""
    return [
        FindingView(
            code=str(each.code),
            severity=each.severity,
            message=each.message,
            file=PurePath(each.where.file).name,
            line=each.where.line,
            column=each.where.column,
            path=each.where.path,
            hint=each.hint,
        )
        for each in findings
    ]


HttpMethod = Literal["GET", "POST", "PUT", "DELETE"]
"""The HTTP method."""
Item = TypeVar("Item")

JSON_MEDIA: Final = "application/json"
"""The media type of almost every answer."""


class NoParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What takes no parameters."""


class ResultPage(msgspec.Struct, Generic[Item], frozen=True):
    """A part of a list."""

    items: list[Item]
    """What is there."""
    next: str | None = None
    """What to ask for `after` to get more; null where this is all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCall:
    """A request that was read and checked."""

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
    revision: int | None = None
    """The revision that the sender has seen."""
    asked: IdempotencyKey | None = None
    """The sender's idempotency key."""
    scope: MutableMapping[str, Any] = field(default_factory=dict)
    """The ASGI scope of the request."""

    @property
    def request(self) -> PlayRequest:
        """The revision and the key, as a hosted run needs them.

        Raises:
            ProtocolError: `REVISION_NEEDED` if the sender did not send a revision.
        """
        if self.revision is None:
            raise ProtocolError(
                "REVISION_NEEDED",
                "a change needs the revision that its sender has seen",
                hint='send it as If-Match: "N", with the revision of the last answer',
            )
        return PlayRequest(revision=self.revision, asked=self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationAnswer:
    """An answer that is more than a body."""

    body: Any = None
    """A struct, which becomes JSON; or bytes, with their media type."""
    revision: int | None = None
    """The revision, for the ETag."""
    status: int | None = None
    """The status; None for the operation's own."""
    media: str = JSON_MEDIA
    """The media type of the body."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers."""


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
    """The path, below the version."""
    summary: str
    """What it does, in a line."""
    run: Callable[[OperationCall], Awaitable[Any]]
    """Runs it; returns a struct, or an `OperationAnswer`."""
    answers: Any
    """The struct of a successful answer; `bytes` for a file, None for nothing."""
    takes: Any = None
    """The struct of its body."""
    takes_text: bool = False
    """Whether its body has a text, and so may be larger than 64 KiB."""
    query: type[msgspec.Struct] = NoParameters
    """The struct of its parameters."""
    needs: Permission | None = "look"
    """The permission that the caller needs; None if it is public."""
    status: int = 200
    """The status of a successful answer."""
    changes: bool = False
    """Whether it needs `If-Match`, and takes an `Idempotency-Key`."""
    keyed: bool = False
    """Whether it takes an `Idempotency-Key` without `If-Match`."""
    needs_key: bool = False
    """Whether it is refused without an `Idempotency-Key`."""
    tags: bool = False
    """Whether its answer has an `ETag`."""
    codes: tuple[str, ...] = ()
    """The error codes it may answer with, besides those of every operation."""
    media: str = JSON_MEDIA
    """The media type of its answer."""
    example: Any = None
    """A valid body, as JSON."""
    path_examples: Mapping[str, str] = field(default_factory=dict)
    """Example values for the path."""
    streams: bool = False
    """Whether the answer goes on until the client disconnects."""


MAX_TEXT_LENGTH: Final = 300_000
"""The largest number of characters of a text; reading such a text takes seconds."""
AuthoredText = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_LENGTH)]
"""A text that an author writes."""
