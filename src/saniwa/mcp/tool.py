"""The definition of a tool: its description, its schemas, and its function."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MethodType
from typing import Any, Literal, NamedTuple, TypeVar, get_type_hints

import msgspec

from saniwa.app.operations.operation import Operation
from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a map",
}
_BOUNDS = {">=": "at least", "<=": "at most"}

_PLACE = re.compile(r" - at (?:`\w+` in )?`\$(.*)`$")
_ANOTHER = re.compile(r"Expected `(\w+)`, got `\w+`$").match
_BEYOND = re.compile(r"Expected `\w+` (>=|<=) (\S+)$").match
_MISSING = re.compile(r"Object missing required field `(.+)`$").match
_NO_FIELD = re.compile(r"Object contains unknown field `(.+)`$").match


def describe_mismatch(problem: str) -> tuple[str, str]:
    """Explain a validation message of msgspec: the place as a JSON pointer, and what is wrong."""
    message, path = problem, ""
    place = _PLACE.search(problem)
    if place is not None:
        message = problem[: place.start()]
        path = place[1].replace("[", ".").replace("]", "").replace(".", "/")
    missing = _MISSING(message)
    if missing is not None:
        path += f"/{missing[1]}"
        return path, f"{path[1:]} is missing"
    # A key of a map has no place of its own: its problem is not one of the map.
    of_key = place is not None and " in `" in place[0]
    return path, f"{path[1:]} {_describe_requirement('' if of_key else message)}"


def _describe_requirement(message: str) -> str:
    another, beyond, no_field = _ANOTHER(message), _BEYOND(message), _NO_FIELD(message)
    if another is not None and another[1] in _KINDS:
        return f"must be {_KINDS[another[1]]}"
    if beyond is not None:
        return f"must be {_BOUNDS[beyond[1]]} {beyond[2]}"
    if no_field is not None:
        return f"has no field {no_field[1]!r}"
    return "has the wrong type or value"


ToolAnswer = msgspec.Struct
"""The answer of a tool; each tool names its own type."""


class ToolReply(NamedTuple):
    """The result of a call."""

    shape: ToolAnswer | dict[str, Any]
    """For programs: the tool's answer, or the error."""
    text: str
    """The same as text, for people and models."""
    failed: bool = False
    """Whether an error occurred; a refusal is an answer and not an error."""
    changed: tuple[str, ...] = ()
    """The addresses of resources that have changed."""
    added: bool = False
    """Whether resources were added."""
    again: object = None
    """The arguments to call again with, if what the call waits for has not happened yet."""


class Tool(NamedTuple):
    """One tool as clients see it."""

    name: str
    """Its name."""
    title: str
    """Its name for people."""
    description: str
    """The description for a model."""
    takes: type[msgspec.Struct]
    """Its arguments."""
    gives: type[ToolAnswer]
    """Its answer, if no error occurs."""
    call: Callable[[Any], ToolReply]
    """Runs it; may block, and raises on errors."""
    reads: bool = True
    """Whether it changes nothing."""
    repeats: bool = False
    """Whether the same call again changes nothing more."""
    alone: bool = False
    """Whether calls of such tools run one at a time."""


class ToolArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a tool; unknown names are refused. By itself: no arguments."""


_DECLARED = "declared_tool"
Arguments = TypeVar("Arguments", bound=msgspec.Struct)
Method = TypeVar("Method", bound=Callable[..., ToolReply])


@cache
def read_tool_texts() -> dict[str, Any]:
    """Return what a model reads: `instructions`, and title and description of `tools`."""
    return tomllib.loads(Path(__file__).with_name("tools.toml").read_text("utf-8"))


def declare_tool(
    operation: Operation, gives: type[ToolAnswer], name: str = "", *, alone: bool = False
) -> Callable[[Method], Method]:
    """Declare a method of one argument to be a tool that does an operation of the table.

    Whether it changes something, and whether it may be repeated, is read from the table.
    """

    def declare(method: Method) -> Method:
        takes = next(iter(get_type_hints(method).values()))
        called = name or method.__name__
        assert called in operation.tools, f"{operation.name} has no tool {called}"
        text = read_tool_texts()["tools"][called]
        reads, repeats = operation.needs == "look", operation.needs_key
        about = text["title"], text["description"]
        tool = Tool(called, *about, takes, gives, method, reads, repeats, alone)
        setattr(method, _DECLARED, tool)
        return method

    return declare


def list_tools(owner: object) -> tuple[Tool, ...]:
    """Return the tools that an object's class declares, in their order."""
    declared = [getattr(each, _DECLARED, None) for each in vars(type(owner)).values()]
    return tuple(tool._replace(call=MethodType(tool.call, owner)) for tool in declared if tool)


_IDENTITY_NAMES = ("role", "credential", "person", "visitor", "author")
"""Names under which a client might try to claim an identity."""


class ToolProblem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why not."""

    code: str
    """The code, in upper case; the documentation explains it."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    details: dict[str, Any] = {}
    """The values involved."""
    current_revision: int | msgspec.UnsetType = msgspec.UNSET
    """Where the run stands, for a refusal that knows it."""


class ToolFailure(msgspec.Struct, frozen=True, kw_only=True):
    """It did not happen, and nothing has changed."""

    ok: Literal[False] = False
    """It did not."""
    success: Literal[False] = False
    """Another name of `ok`."""
    error: ToolProblem
    """Why not."""


def parse_arguments(kind: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """Return the arguments as the tool takes them.

    Raises:
        ProtocolError: `INVALID_PAYLOAD`: an unknown name, or a value of the wrong type.
    """
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    for name in sorted(set(given) - set(names)):
        message = f"there is no argument {quote_value(name)}"
        raise _make_arguments_error(f"/{name}", message, _suggest_name(name, names))
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as problem:
        path, message = describe_mismatch(str(problem))
        takes = f"it takes: {', '.join(names)}"
        raise _make_arguments_error(path, message, takes) from problem


def _suggest_name(name: str, names: Sequence[str]) -> str:
    if name in _IDENTITY_NAMES:
        return "the role is set by the server and is not an argument; remove it"
    return suggest_nearest(name, names) or f"it takes: {', '.join(names) or 'nothing'}"


def _make_arguments_error(path: str, message: str, hint: str) -> ProtocolError:
    return ProtocolError(
        "INVALID_PAYLOAD",
        f"the arguments do not fit: {message}",
        hint=hint,
        details={"validation_errors": [{"path": path, "message": message}]},
    )


def make_error_reply(problem: SaniwaError) -> ToolReply:
    """Return the reply for an error."""
    trouble = ToolProblem(
        code=str(problem.code),
        message=problem.message,
        hint=problem.hint,
        details=msgspec.to_builtins(problem.details, enc_hook=str),
    )
    return _make_reply(trouble)


def make_unexpected_reply() -> ToolReply:
    """Return the reply for an unexpected error; the server's own log has the rest."""
    trouble = ToolProblem(
        code="INTERNAL_ERROR",
        message="something went wrong inside the server",
        hint="read the state of the run before trying again",
    )
    return _make_reply(trouble)


def _make_reply(trouble: ToolProblem) -> ToolReply:
    text = f"{trouble.code}: {trouble.message}"
    if trouble.hint:
        text += f"\nWhat to do: {trouble.hint}"
    return ToolReply(ToolFailure(error=trouble), text, failed=True)


_REFERENCE_TEMPLATE = "#/$defs/{name}"


def build_input_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of a tool's arguments: an object without other fields."""
    (reference,), parts = msgspec.json.schema_components(
        (tool.takes,), ref_template=_REFERENCE_TEMPLATE
    )
    texts = read_tool_texts()
    about = texts["arguments"] | texts["tools"][tool.name].get("arguments", {})
    for part in parts.values():
        for name, field in part["properties"].items():
            part["properties"][name] = {"description": about[name], **field}
    own: dict[str, Any] = parts.pop(str(reference["$ref"]).rpartition("/")[2])
    own.pop("title", None)
    own.pop("description", None)
    return own | ({"$defs": parts} if parts else {})


def build_output_schema(answer: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema of a tool's result: its answer, or an error."""
    either, parts = msgspec.json.schema_components(
        (answer, ToolFailure), ref_template=_REFERENCE_TEMPLATE
    )
    # Clients of earlier protocol versions require an object at the root.
    return {"type": "object", "anyOf": list(either), "$defs": parts}
