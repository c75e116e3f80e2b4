"""What every JSON lines interface shares: the form of messages, and received lines.

Every line gets exactly one answer. An invalid line neither changes anything nor ends
the conversation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, Self, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.runs import describe

DEEPEST_NESTING: Final = 200
"""The most levels a line may nest; rulebooks, scenarios and snapshots may nest less."""


class LineRequest(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="op",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Every request names its `op`; an `id` comes back with the answer."""

    id: str | int | None = None
    """Anything the client wants back with the answer."""


class LineAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Every good answer says so."""

    ok: Literal[True] = True
    """The line was understood and answered; a refusal is an answer too."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one."""


class LineProblem(msgspec.Struct, frozen=True, kw_only=True):
    """An error: what is wrong, where, and what to do."""

    code: str
    """The code, in upper case; the documentation explains it."""
    message: str
    """What is wrong."""
    where: str
    """The place in the line or file; empty if there is none."""
    hint: str
    """What to do."""
    recoverable: bool
    """Whether the same line could succeed later."""
    details: dict[str, Any]
    """The values involved."""


class ErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a line that is not understood or cannot be done; nothing changed."""

    ok: Literal[False] = False
    """It is not."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one that could be read."""
    error: LineProblem
    """Why."""


M = TypeVar("M", bound=LineRequest | LineAnswer)


def list_messages(namespace: Mapping[str, Any], kind: type[M]) -> tuple[type[M], ...]:
    """The messages of a kind, in the order in which a module defines them."""
    named = (each for name, each in namespace.items() if not name.startswith("_"))
    found = (each for each in named if isinstance(each, type) and issubclass(each, kind))
    return tuple(each for each in found if each is not kind)


def index_requests(namespace: Mapping[str, Any]) -> dict[str, type[LineRequest]]:
    """The requests that a module defines, by the names of their operations."""
    found = list_messages(namespace, LineRequest)
    return {str(each.__struct_config__.tag): each for each in found}


class ReceivedLine:
    """A line as the client sent it; errors in its `with` block become its answer."""

    def __init__(self, line: bytes, requests: Mapping[str, type[LineRequest]]) -> None:
        """Receive a line that should be one of these requests."""
        self.answer: LineAnswer | ErrorAnswer
        self._line, self._requests = line, requests
        self._mark: str | int | UnsetType = UNSET

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: object, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(problem, RecursionError):
            problem = make_nesting_error()
        if isinstance(problem, SaniwaError):
            self.answer = make_error_answer(problem)
        return isinstance(problem, SaniwaError)

    def read_request(self) -> LineRequest:
        """The decoded request.

        Raises:
            ProtocolError: `PROTOCOL_SYNTAX`, `PROTOCOL_UNKNOWN_OP`,
                `PROTOCOL_BAD_FIELD`.
        """
        document = _decode_line(self._line)
        self._mark = _find_id(document)
        _check_depth(document, self._line)
        return _convert_request(document, self._requests)

    def mark_answer(self) -> LineAnswer | ErrorAnswer:
        """The answer, with the `id` of the request."""
        return msgspec.structs.replace(self.answer, id=self._mark)


def make_error_answer(problem: SaniwaError) -> ErrorAnswer:
    """The answer to a line that raised an error."""
    return ErrorAnswer(error=LineProblem(**problem.to_document()))


def suggest_name(word: str, names: Sequence[str]) -> str:
    """The nearest name to a misspelt one, else a list of all names."""
    return suggest_nearest(word, names) or f"there is: {', '.join(names)}"


def make_nesting_error() -> ProtocolError:
    """The error for a line that nests too deep."""
    return describe("PROTOCOL_SYNTAX/nesting", most=DEEPEST_NESTING).to_error(ProtocolError)


def _decode_line(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise describe("PROTOCOL_SYNTAX", problem=problem).to_error(ProtocolError) from problem


def _check_depth(document: Any, line: bytes) -> None:
    # Most lines have too few brackets to be deep.
    if line.count(b"[") + line.count(b"{") <= DEEPEST_NESTING:
        return
    level = [document]
    for _ in range(DEEPEST_NESTING + 1):
        level = [part for value in level for part in _list_children(value)]
    if level:
        raise make_nesting_error()


def _list_children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _find_id(document: Any) -> str | int | UnsetType:
    mark: Any = document.get("id") if isinstance(document, dict) else None
    # A bool is an int in Python, but not an id.
    return mark if type(mark) in (str, int) else UNSET


def _convert_request(document: Any, requests: Mapping[str, type[LineRequest]]) -> LineRequest:
    op = document.get("op") if isinstance(document, dict) else None
    if not isinstance(op, str) or op not in requests:
        why = f"{quote_value(op)} is not an operation" if op is not None else "the line has no 'op'"
        hint = suggest_name(op if isinstance(op, str) else "", sorted(requests))
        raise describe("PROTOCOL_UNKNOWN_OP", hint=hint, why=why).to_error(ProtocolError)
    try:
        return msgspec.convert(document, requests[op])
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$")
        fields = ", ".join(requests[op].__struct_fields__)
        raise describe("PROTOCOL_BAD_FIELD", op=op, why=said, fields=fields).to_error(
            ProtocolError, where=SourceLocation(path=place.strip(".`") or op)
        ) from problem


MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""The longest line in bytes; a longer one is answered with an error and skipped."""


def serve_lines(answer: Callable[[bytes], msgspec.Struct], lines: BinaryIO, out: BinaryIO) -> None:
    """Answer every line with one line, until input ends."""
    while line := lines.readline(MAX_LINE_BYTES):
        complete = line.endswith(b"\n") or len(line) < MAX_LINE_BYTES
        reply = answer(line) if complete else _refuse_long_line(lines)
        out.write(msgspec.json.encode(reply) + b"\n")
        out.flush()


def _refuse_long_line(lines: BinaryIO) -> Any:
    while (rest := lines.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
    return make_error_answer(
        ProtocolError("PROTOCOL_LINE_TOO_LONG", f"the line is longer than {MAX_LINE_BYTES} bytes")
    )
