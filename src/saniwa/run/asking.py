"""What every door of JSON lines shares: a line read, or what is wrong with it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.run.lines import Problem, Refused

DEEPEST: Final = 200
"""Levels a line may nest; books, scenarios and snapshots may nest less."""

R = TypeVar("R", bound=msgspec.Struct)


class Sent(Generic[R]):
    """A line as somebody sent it."""

    def __init__(self, line: bytes, requests: Mapping[str, type[R]]) -> None:
        """Read a line that asks for one of these; never raises."""
        self.mark: str | int | UnsetType = UNSET
        """What the sender wants back with the answer."""
        self._read: R | SaniwaError
        try:
            document = _decoded(line)
            self.mark = _mark(document)
            _check_depth(document, line)
            self._read = _request(document, requests)
        except SaniwaError as problem:
            self._read = problem
        except RecursionError:
            self._read = too_deep()

    def request(self) -> R:
        """What is asked for.

        Raises:
            ProtocolError: `PROTOCOL_SYNTAX`, `PROTOCOL_UNKNOWN_OP`, `PROTOCOL_BAD_FIELD`.
        """
        if isinstance(self._read, SaniwaError):
            raise self._read
        return self._read


def refused(problem: SaniwaError) -> Refused:
    """The answer to a line that met an error."""
    return Refused(error=Problem(**problem.as_document()))


def offer(word: str, names: Sequence[str]) -> str:
    """The name that was meant, else all there are."""
    return did_you_mean(word, names) or f"there is: {', '.join(names)}"


def too_deep() -> ProtocolError:
    """The error for brackets within brackets within brackets."""
    return ProtocolError(
        "PROTOCOL_SYNTAX",
        f"the line nests deeper than {DEEPEST} levels",
        hint="send what is meant with fewer brackets inside brackets",
    )


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ProtocolError(
            "PROTOCOL_SYNTAX",
            f"the line is not JSON: {problem}",
            hint="send one JSON object a line",
        ) from problem


def _check_depth(document: Any, line: bytes) -> None:
    # Most lines have too few brackets to be deep.
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return
    level = [document]
    for _ in range(DEEPEST + 1):
        level = [part for value in level for part in _parts(value)]
    if level:
        raise too_deep()


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _mark(document: Any) -> str | int | UnsetType:
    mark: Any = document.get("id") if isinstance(document, dict) else None
    # A bool is an int to Python, but no id.
    return mark if type(mark) in (str, int) else UNSET


def _request(document: Any, requests: Mapping[str, type[R]]) -> R:
    op = document.get("op") if isinstance(document, dict) else None
    if not isinstance(op, str) or op not in requests:
        raise ProtocolError(
            "PROTOCOL_UNKNOWN_OP",
            f"{quoted(op)} is no operation"
            if op is not None
            else "the line names no 'op'",
            hint=offer(op if isinstance(op, str) else "", sorted(requests)),
        )
    try:
        return msgspec.convert(document, requests[op])
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$")
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            f"{op}: {said}",
            where=Where(path=place.strip(".`") or op),
            hint=f"{op} takes: {', '.join(requests[op].__struct_fields__)}",
        ) from problem
