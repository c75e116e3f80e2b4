"""One row of the table: what can be asked, what it takes, and what comes back."""

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
    """Findings as they are answered: files by their names, whatever folder they lie in."""
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
"""How something is asked."""
Item = TypeVar("Item")

JSON_MEDIA: Final = "application/json"
"""What almost everything is written in."""


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
    """A request, looked at and read."""

    garden: Workspace
    """What is served."""
    caller: Caller
    """Who asks."""
    path: Mapping[str, str]
    """The parts of the path that were left open."""
    query: Any
    """The parameters, as the operation's own struct."""
    body: Any
    """The body, as the operation's own struct; None where it takes none."""
    revision: int | None = None
    """The revision the sender has seen."""
    asked: IdempotencyKey | None = None
    """The sender's own name for the request."""
    scope: MutableMapping[str, Any] = field(default_factory=dict)
    """What the server knows of the request."""

    @property
    def request(self) -> PlayRequest:
        """What a hosted run needs to know of it.

        Raises:
            ProtocolError: `REVISION_NEEDED` if the sender did not say what it has seen.
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
    """What comes back, where it is more than a body."""

    body: Any = None
    """A struct, which becomes JSON; or bytes, with their media type."""
    revision: int | None = None
    """The revision, for the ETag."""
    status: int | None = None
    """The status; the operation's own where nothing is said."""
    media: str = JSON_MEDIA
    """What the body is written in."""
    headers: tuple[tuple[str, str], ...] = ()
    """More to say."""


def build_location_header(room: str, id: str) -> tuple[str, str]:
    """The header that says where something new is found; any name fits in."""
    return "Location", f"/api/v1/{room}/{quote(id, safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What can be asked."""

    name: str
    """Its own name, for clients: a verb and a noun in camelCase."""
    method: HttpMethod
    """How it is asked."""
    path: str
    """Where, below the version."""
    summary: str
    """What it does, in a line."""
    run: Callable[[OperationCall], Awaitable[Any]]
    """Does it: gives a struct, or an `OperationAnswer`."""
    answers: Any
    """The struct of a good answer; `bytes` for a file, None for nothing."""
    takes: Any = None
    """The struct of its body."""
    takes_text: bool = False
    """Whether its body has a text, and so may be larger than 64 KiB."""
    query: type[msgspec.Struct] = NoParameters
    """The struct of its parameters."""
    needs: Permission | None = "look"
    """What the caller must be allowed; None for everybody."""
    status: int = 200
    """The status of a good answer."""
    changes: bool = False
    """Whether it needs `If-Match`, and takes an `Idempotency-Key`."""
    keyed: bool = False
    """Whether it takes an `Idempotency-Key` without `If-Match`."""
    needs_key: bool = False
    """Whether it is refused without an `Idempotency-Key`."""
    tags: bool = False
    """Whether its answer has an `ETag`."""
    codes: tuple[str, ...] = ()
    """The codes it may refuse with, beside those of every operation."""
    media: str = JSON_MEDIA
    """What its answer is written in."""
    example: Any = None
    """A body that works, as JSON."""
    path_examples: Mapping[str, str] = field(default_factory=dict)
    """What could stand in the path."""
    streams: bool = False
    """Whether it goes on for as long as somebody listens."""


MAX_TEXT_LENGTH: Final = 300_000
"""Letters of a text; reading one of them takes seconds."""
AuthoredText = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_LENGTH)]
"""A text that somebody writes."""
