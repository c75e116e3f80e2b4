"""`saniwa gate hook`: answers an agent's host before and after a tool is used."""

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.gate.door import Opened, dir_option, opened
from saniwa.cli.render import answer
from saniwa.core.errors import SaniwaError
from saniwa.core.quoted import printable
from saniwa.core.ready import ready

if TYPE_CHECKING:
    from saniwa.process.weighing.permission import Permission

_LARGEST = 50_000_000
_NO_RUN = "No run is named in {}; begin one: saniwa gate create-run --write-config"


class _Call(msgspec.Struct):
    """A tool that is about to be used, or was; as the host tells it."""

    tool_name: str
    tool_input: Any = None
    cwd: str = ""


@click.group(
    epilog="""\b
Example:
  echo '{"tool_name": "Bash"}' | saniwa gate hook pre-tool-use
"""
)
def hook() -> None:
    """Answer a tool's hook from the state's permissions.

    The call comes as JSON on standard input. An empty answer, {}, is no decision: the
    host asks its user as it always does.
    """


@hook.command("pre-tool-use")
@click.option(
    "--fail-closed",
    is_flag=True,
    help="Deny the tool if no run is named, or anything goes wrong.",
)
@dir_option
def pre_tool_use(fail_closed: bool, place: str | None) -> None:
    """Say whether a tool may be used now: allow, deny or ask; {} where nothing is stated.

    Writing the gate's own files is denied in every state.

    \b
    Example:
      echo '{"tool_name": "Bash"}' | saniwa gate hook pre-tool-use
    """
    try:
        said = _permission(place, _call(), fail_closed=fail_closed)
    except Exception as problem:  # the door: no error of any kind may open it
        if not fail_closed:
            raise
        _deny(problem)
        return
    if said.answer is None:
        answer({})
        return
    why = {"permissionDecisionReason": said.reason} if said.reason else {}
    _say("PreToolUse", permissionDecision=said.answer, **why)


@hook.command("post-tool-use")
@dir_option
def post_tool_use(place: str | None) -> None:
    """After an event was sent, tell what is to be done in the state it led to.

    \b
    Example:
      echo '{"tool_name": "emit_event"}' | saniwa gate hook post-tool-use
    """
    call = _call()
    told = _prompt(place) if _is_emit(call) else ""
    if told:
        _say("PostToolUse", additionalContext=told)
    else:
        answer({})


def _deny(problem: Exception) -> None:
    told = _reason(problem)
    # Before anything else: what is told beside it may find nobody who reads it.
    _say("PreToolUse", permissionDecision="deny", permissionDecisionReason=told)
    click.echo(printable(told), err=True)


def _reason(problem: Exception) -> str:
    if isinstance(problem, click.ClickException):
        return problem.format_message()
    if isinstance(problem, SaniwaError):
        return str(problem)
    return f"the gate could not answer: {type(problem).__name__}: {problem}"


def _call() -> _Call:
    content = sys.stdin.buffer.read(_LARGEST)
    try:
        return msgspec.json.decode(content, type=_Call)
    except (ValueError, RecursionError) as problem:
        raise click.UsageError(
            f"standard input is no tool call: {problem}"
        ) from problem


def _is_emit(call: _Call) -> bool:
    asked = call.tool_input
    typed = asked.get("command", "") if isinstance(asked, dict) else ""
    return call.tool_name.endswith("emit_event") or "gate emit" in str(typed)


def _permission(place: str | None, call: _Call, *, fail_closed: bool) -> "Permission":
    from saniwa.process.weighing.permission import Permission
    from saniwa.wiring.gate import gate_folders
    from saniwa.wiring.gate_protection import find_protected_file

    found = find_protected_file(
        gate_folders(place), call.tool_name, call.tool_input, call.cwd
    )
    if found is not None:
        return Permission("deny", found.reason)
    with opened(place, None) as door:
        if not _is_configured(door):
            if fail_closed:
                raise click.UsageError(_NO_RUN.format(door.places.config))
            return Permission(None)
        return door.gate.permission(door.run(None), call.tool_name)


def _prompt(place: str | None) -> str:
    with opened(place, None) as door:
        if not _is_configured(door):
            return ""
        view = door.gate.state(door.run(None))
    where = f"{view.current_state}, revision {view.revision}"
    return f"{where}: {view.current_state_prompt}".rstrip(": ")


def _is_configured(door: Opened) -> bool:
    from saniwa.wiring.gate import configured_run

    return bool(configured_run(door.places))


def _say(event: str, **said: str) -> None:
    answer({"hookSpecificOutput": {"hookEventName": event} | said})


ready(_Call)
