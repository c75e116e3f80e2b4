"""What a tool answers when something stops it, in the shape refusals have."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.mcp.mismatch import mismatch
from saniwa.mcp.tool import Reply

Arguments = TypeVar("Arguments", bound=msgspec.Struct)

_BOUND = ("role", "credential", "person", "visitor", "author")
"""Names under which somebody might try to say who they are."""


class Trouble(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why not."""

    code: str
    """Upper-case words, explained in the documentation."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    details: dict[str, Any] = {}
    """The values involved."""
    current_revision: int | msgspec.UnsetType = msgspec.UNSET
    """Where the run stands, for a refusal that knows it."""


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """It did not happen, and nothing has changed."""

    success: Literal[False] = False
    """It did not."""
    error: Trouble
    """Why not."""


def arguments_of(kind: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """The arguments as the tool takes them.

    Raises:
        ProtocolError: `INVALID_PAYLOAD`: a name it does not know, or a value of another kind.
    """
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    for name in sorted(set(given) - set(names)):
        told = f"there is no argument {quoted(name)}"
        raise _unfit(f"/{name}", told, _instead(name, names))
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as problem:
        path, told = mismatch(str(problem))
        takes = f"it takes: {', '.join(names)}"
        raise _unfit(path, told, takes) from problem


def _instead(name: str, names: Sequence[str]) -> str:
    if name in _BOUND:
        return "who you are belongs to this server and is no argument; leave it out"
    return did_you_mean(name, names) or f"it takes: {', '.join(names) or 'nothing'}"


def _unfit(path: str, told: str, hint: str) -> ProtocolError:
    return ProtocolError(
        "INVALID_PAYLOAD",
        f"the arguments cannot be taken: {told}",
        hint=hint,
        details={"validation_errors": [{"path": path, "message": told}]},
    )


def stopped(problem: SaniwaError) -> Reply:
    """The answer to what an error stopped."""
    trouble = Trouble(
        code=str(problem.code),
        message=problem.message,
        hint=problem.hint,
        details=msgspec.to_builtins(problem.details, enc_hook=str),
    )
    return _reply(trouble)


def surprised() -> Reply:
    """The answer to what nobody expected; the server's own log has the rest."""
    trouble = Trouble(
        code="INTERNAL_ERROR",
        message="something went wrong inside the server",
        hint="ask where the run stands before trying again",
    )
    return _reply(trouble)


def _reply(trouble: Trouble) -> Reply:
    text = f"{trouble.code}: {trouble.message}"
    if trouble.hint:
        text += f"\nWhat to do: {trouble.hint}"
    return Reply(Failed(error=trouble), text, failed=True)
