"""`saniwa gate hook`: answer an agent host's hooks before and after a tool is used."""

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.gate.access import GateConnection, connect_gate
from saniwa.cli.options import define_command
from saniwa.cli.render import print_json, show_text
from saniwa.core.errors import SaniwaError
from saniwa.core.json_values import warm_decoders

if TYPE_CHECKING:
    from saniwa.process.tool_permissions import ToolPermission

_MAX_INPUT_BYTES = 50_000_000
_NO_RUN = "No run is named in {}; begin one: saniwa gate create-run --write-config"


class _ToolCall(msgspec.Struct):
    """A tool call that is about to happen or has happened, as the host sends it."""

    tool_name: str
    tool_input: Any = None
    cwd: str = ""


@define_command("gate hook pre-tool-use")
def pre_tool_use(fail_closed: bool, place: str | None) -> None:
    """Say whether a tool may be used now: allow, deny or ask; {} where nothing is stated.

    Writing the gate's own files is denied in every state.

    \b
    Example:
      echo '{"tool_name": "Bash"}' | saniwa gate hook pre-tool-use
    """
    try:
        permission = _decide_permission(place, _read_call(), fail_closed=fail_closed)
    except Exception as problem:  # with --fail-closed no error may allow the tool
        if not fail_closed:
            raise
        _deny(problem)
        return
    if permission.answer is None:
        print_json({})
        return
    why = {"permissionDecisionReason": permission.reason} if permission.reason else {}
    _print_output("PreToolUse", permissionDecision=permission.answer, **why)


@define_command("gate hook post-tool-use")
def post_tool_use(place: str | None) -> None:
    """After an event was sent, tell what is to be done in the state it led to.

    \b
    Example:
      echo '{"tool_name": "emit_event"}' | saniwa gate hook post-tool-use
    """
    call = _read_call()
    prompt = _build_prompt(place) if _is_emit(call) else ""
    if prompt:
        _print_output("PostToolUse", additionalContext=prompt)
    else:
        print_json({})


def _deny(problem: Exception) -> None:
    reason = f"the gate could not answer: {type(problem).__name__}: {problem}"
    if isinstance(problem, click.ClickException):
        reason = problem.format_message()
    elif isinstance(problem, SaniwaError):
        reason = str(problem)
    # Printed first: writing to standard error may fail if no process reads it.
    _print_output("PreToolUse", permissionDecision="deny", permissionDecisionReason=reason)
    show_text(reason, err=True)


def _read_call() -> _ToolCall:
    content = sys.stdin.buffer.read(_MAX_INPUT_BYTES)
    try:
        return msgspec.json.decode(content, type=_ToolCall)
    except (ValueError, RecursionError) as problem:
        raise click.UsageError(f"standard input is no tool call: {problem}") from problem


def _is_emit(call: _ToolCall) -> bool:
    asked = call.tool_input
    typed = asked.get("command", "") if isinstance(asked, dict) else ""
    return call.tool_name.endswith("emit_event") or "gate emit" in str(typed)


def _decide_permission(
    place: str | None, call: _ToolCall, *, fail_closed: bool
) -> "ToolPermission":
    from saniwa.app.gate.places import locate_gate
    from saniwa.app.gate.protection import find_protected_file
    from saniwa.process.tool_permissions import ToolPermission

    found = find_protected_file(locate_gate(place), call.tool_name, call.tool_input, call.cwd)
    if found is not None:
        return ToolPermission("deny", found.reason)
    with connect_gate(place, None) as connection:
        if not _is_configured(connection):
            if fail_closed:
                raise click.UsageError(_NO_RUN.format(connection.places.config))
            return ToolPermission(None)
        return connection.gate.check_tool_permission(connection.find_run(None), call.tool_name)


def _build_prompt(place: str | None) -> str:
    with connect_gate(place, None) as connection:
        if not _is_configured(connection):
            return ""
        view = connection.gate.get_state(connection.find_run(None))
    where = f"{view.current_state}, revision {view.revision}"
    return f"{where}: {view.current_state_prompt}".rstrip(": ")


def _is_configured(connection: GateConnection) -> bool:
    from saniwa.app.gate.places import read_configured_run

    return bool(read_configured_run(connection.places))


def _print_output(event: str, **fields: str) -> None:
    print_json({"hookSpecificOutput": {"hookEventName": event} | fields})


warm_decoders(_ToolCall)
