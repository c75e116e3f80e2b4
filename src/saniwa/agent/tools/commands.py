"""Tools that run a command which the agent's author has declared.

A command is a list of arguments and never passes through a shell, unless the list
itself names one. It gets a small environment, no input, and limits on time and output, and
where the system offers a sandbox it is kept to the workspace.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any, Final

from saniwa.agent.definition import CommandSettings, ToolSettings
from saniwa.agent.tools.program_runner import ProgramResult, run_program, select_variables
from saniwa.agent.tools.sandbox import (
    SandboxRules,
    find_sandbox_version,
    list_limits,
    list_program_folders,
    run_in_sandbox,
)
from saniwa.agent.tools.tool import CallOutcome, ToolCallError, ToolEffect
from saniwa.core.text import quote_value
from saniwa.models.oracle import ToolOffer, ToolOutput

_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})
_ALWAYS_PASSED: Final = ("PATH", "LANG", "TZ")
_LONGEST_VALUE: Final = 10_000


class CommandTool:
    """Runs one declared command in the workspace."""

    def __init__(self, name: str, settings: CommandSettings, folder: Path) -> None:
        self.offer = ToolOffer(
            name=name,
            description=settings.description or f"Run {settings.command[0]}.",
            parameters=make_parameters(settings),
        )
        self.effect: ToolEffect = "read" if settings.reads_only else "execute"
        self._settings = settings
        self._folder = folder
        self._has_sandbox = settings.sandbox and find_sandbox_version() > 0

    def prepare(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Note the argument list.

        Raises:
            ToolCallError: A value cannot be an argument.
        """
        words = fill_command(self._settings.command, arguments)
        limits = list_limits(has_network=self._settings.network) if self._has_sandbox else []
        name = "landlock" if self._has_sandbox else "none"
        return {"command": words, "sandbox": name, "limits": limits}

    def find_outcome(self, arguments: Mapping[str, Any], note: Mapping[str, Any]) -> CallOutcome:  # noqa: ARG002 - nothing shows it
        """Say that it is unknown, unless the command only reads."""
        return "not_done" if self._settings.reads_only else "unknown"

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Run the command until it ends, or its time is over.

        Everything it has started is ended with it.

        Raises:
            ToolCallError: It cannot be started.
        """
        words = fill_command(self._settings.command, arguments)
        self._folder.mkdir(parents=True, exist_ok=True)
        cancelled = Event()
        work = asyncio.get_running_loop().run_in_executor(
            None, partial(self._run_words, words, cancelled.is_set)
        )
        try:
            return self._make_output(await asyncio.shield(work))
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([work])
            raise
        except (OSError, ValueError) as problem:
            raise ToolCallError(
                f"{quote_value(words[0])} cannot be started: {problem}"
            ) from problem

    def _run_words(self, words: list[str], is_cancelled: Callable[[], bool]) -> ProgramResult:
        variables = select_variables((*_ALWAYS_PASSED, *self._settings.environment))
        run = partial(self._run_with_variables, words, is_cancelled, variables)
        if not self._has_sandbox:
            return run({})
        # What the author wrote may be a script; what a call fills in opens nothing.
        written = (each for each in self._settings.command if not _PLACEHOLDER.search(each))
        named = (self._folder / each for each in (*self._settings.read_folders, *written))
        installed = list_program_folders(words[0], self._folder, variables.get("PATH", ""))
        rules = SandboxRules(self._folder, (*named, *installed), self._settings.network)
        return run_in_sandbox(rules, run)

    def _run_with_variables(
        self,
        words: list[str],
        is_cancelled: Callable[[], bool],
        variables: dict[str, str],
        given: dict[str, str],
    ) -> ProgramResult:
        return run_program(
            words,
            self._folder,
            variables | given,
            time_limit=self._settings.timeout_seconds,
            output_limit=self._settings.max_output,
            keep="beginning",
            is_cancelled=is_cancelled,
        )

    def _make_output(self, found: ProgramResult) -> ToolOutput:
        end = f"exit code {found.exit_code}"
        if found.is_stopped:
            end = f"stopped after {self._settings.timeout_seconds:g} seconds"
        hidden = found.size - len(found.output)
        cut = f"\n[{hidden} more bytes are not shown]" if hidden else ""
        text = found.output.decode(errors="replace").replace("\0", "\ufffd")
        details: dict[str, Any] = {"exitCode": found.exit_code}
        return ToolOutput(
            text=f"{end}\n{text}{cut}",
            failed=found.is_stopped or found.exit_code != 0,
            details=details | ({"timedOut": True} if found.is_stopped else {}),
            result_from=None if hidden else len(end) + 1,
        )


def describe_sandboxes(settings: ToolSettings) -> Iterator[str]:
    """Say of each program that an agent can run what its sandbox limits here, and what not."""
    for name, command in settings.commands.items():
        limits = list_limits(has_network=command.network) if command.sandbox else []
        missing = [each for each in ("tcp", "signals") if each not in limits]
        free = ", ".join((*missing, "udp", "sockets that are files", "memory", "processor time"))
        why = "this system has none" if command.sandbox else "its definition says so"
        text = f"limits {', '.join(limits)}; does not limit {free}"
        yield f"{name}: sandbox {text}" if limits else f"{name}: no sandbox, because {why}"
    for name, server in settings.servers.items():
        if server.command:
            yield f"mcp__{name}: no sandbox, because it is a server"


def make_parameters(settings: CommandSettings) -> dict[str, Any]:
    """Return the schema of a command's arguments: its own, or a text per placeholder."""
    if settings.parameters is not None:
        return settings.parameters
    names = list_placeholders(settings.command)
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": names,
        "additionalProperties": False,
    }


def list_placeholders(command: tuple[str, ...]) -> list[str]:
    """Return the names in braces, in order."""
    found = (name for word in command for name in _PLACEHOLDER.findall(word))
    return list(dict.fromkeys(found))


def find_shell_script(command: tuple[str, ...]) -> str:
    """Return the script of a command that names a shell, if it has placeholders."""
    if not command or Path(command[0]).name not in _SHELLS:
        return ""
    for option, script in pairwise(command):
        if option.startswith("-") and "c" in option and _PLACEHOLDER.search(script):
            return script
    return ""


def fill_command(command: tuple[str, ...], arguments: Mapping[str, Any]) -> list[str]:
    """Fill the placeholders of a command; a word whose value is missing is left out.

    Raises:
        ToolCallError: A value cannot be an argument.
    """
    words = list[str]()
    for word in command:
        names = _PLACEHOLDER.findall(word)
        if any(arguments.get(name) is None for name in names):
            continue
        filled = _PLACEHOLDER.sub(lambda found: _to_word(arguments[found[1]]), word)
        if names and word.startswith("{") and filled.startswith("-"):
            raise ToolCallError(f"{quote_value(filled)} starts with a hyphen, like an option")
        words.append(filled)
    return words


def _to_word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise ToolCallError("an argument of a command is a text or a number")
    text = str(value)
    if "\0" in text or len(text) > _LONGEST_VALUE:
        raise ToolCallError(f"{quote_value(text)} cannot be an argument")
    return text
