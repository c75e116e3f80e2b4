"""The tools of an agent: opens those that it may use, and has those that ask a world.

The tools for files, commands, servers and functions are in `saniwa.agent.tools`; those that
ask a world are here, because they open the store of runs.
"""

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.gate_agent_port import GateAgentPort
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.commands import CommandTool
from saniwa.agent.tools.external_tools import ServerTools, is_server_named, load_functions
from saniwa.agent.tools.files import FILE_TOOLS, WorkspaceFiles
from saniwa.agent.tools.gate_run_tools import RunTool, make_run_tools
from saniwa.agent.tools.tool import (
    WORLD_TOOL_NAMES,
    AgentTool,
    ToolApprover,
    ToolCallError,
    make_schema,
)
from saniwa.agent.tools.toolbox import Toolbox, ToolSource
from saniwa.app.agent_journals import locate_journals
from saniwa.app.gate.report_verification import DEFAULT_STORE
from saniwa.core.errors import SaniwaError
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.text import quote_value
from saniwa.models.oracle import ToolOffer
from saniwa.models.recording import AgentJournal, ToolRecording, ToolReplay
from saniwa.process.tool_permissions import is_tool_named
from saniwa.store.json_lines_file import JsonLinesFile
from saniwa.store.run_id_lookup import LAST

if TYPE_CHECKING:
    from saniwa.app.run_service import RunService
    from saniwa.runs.run import Run


_RUN_ARGUMENT = ("string", "The run: its id, part of it, or `last`; the last one if left out")
_ACTOR_ARGUMENT = ("string", "The character; the player's own if left out")


class WorldToolSource:
    """The tools that ask about runs of scenarios, in the store that the commands use.

    They change nothing, and say no more than the character perceives.
    """

    def __init__(self, store: str | Path | None = None) -> None:
        self._place = store or os.environ.get("SANIWA_STORE") or DEFAULT_STORE
        self._service: RunService | None = None

    async def open(self) -> tuple[RunTool, ...]:
        """Return the tools; the store is opened by the first call."""
        words = ("string", "What the character would say or do")
        return (
            self._make_tool("view", "What a character perceives now in a run.", self._view),
            self._make_tool(
                "admissible", "Everything that a character may do now in a run.", self._list
            ),
            self._make_tool(
                "preview",
                "How words would be understood and judged now; nothing happens.",
                self._preview,
                words=words,
            ),
        )

    async def close(self) -> None:
        """Close the store. May be called more than once."""
        service, self._service = self._service, None
        if service is not None:
            service.close()

    def _make_tool(
        self,
        name: str,
        description: str,
        answer: Callable[["Run", Mapping[str, Any]], Awaitable[str]],
        **more: tuple[str, str],
    ) -> RunTool:
        async def find_answer(arguments: Mapping[str, Any]) -> str:
            try:
                run = self._find_run(arguments.get("run") or LAST)
                actor = arguments.get("actor") or run.actor
                if actor not in run.world.entities:
                    raise ToolCallError(f"there is no {quote_value(actor)} in this run")
                return await answer(run, {**arguments, "actor": actor})
            except SaniwaError as error:
                raise ToolCallError(f"{error.code}: {error.message}; {error.hint}") from error

        fields = {"run": _RUN_ARGUMENT, "actor": _ACTOR_ARGUMENT, **more}
        offer = ToolOffer(
            name=name, description=description, parameters=make_schema(tuple(more), **fields)
        )
        # A preview repeats the agent's own words.
        return RunTool(offer, find_answer, is_result=not more)

    def _find_run(self, named: str) -> "Run":
        from saniwa.app.run_service import RunService

        if self._service is None:
            self._service = RunService.open(self._place, must_exist=True)
        return self._service.resume(named)

    async def _view(self, run: "Run", arguments: Mapping[str, Any]) -> str:
        from saniwa.world.perceived_scene import build_scene

        actor = arguments["actor"]
        seen = {
            "run": run.id,
            "scenario": run.record.scenario_id,
            "turn": run.count,
            "actor": actor,
            "finished": run.is_finished,
            "view": build_scene(run.world, actor),
        }
        return _render_json(seen)

    async def _list(self, run: "Run", arguments: Mapping[str, Any]) -> str:
        from saniwa.turn.narration import render_action

        actions = run.list_admissible(arguments["actor"])
        found = [{"words": render_action(each, run.world), "action": each} for each in actions]
        return _render_json({"run": run.id, "turn": run.count, "possible": found})

    async def _preview(self, run: "Run", arguments: Mapping[str, Any]) -> str:
        from saniwa.runs.playing import summarise_preview

        seen = summarise_preview(await run.preview(arguments["words"], arguments["actor"]))
        return _render_json({"run": run.id, "allowed": seen.allowed, "sentences": seen.sentences})


def _render_json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def open_toolbox(
    definition: AgentDefinition,
    port: AgentPort | None = None,
    *,
    workspace: str | Path | None = None,
    protected: Iterable[Path] = (),
    approver: ToolApprover | None = None,
    record: AgentJournal | None = None,
    replay: str | Path | AgentJournal | None = None,
    past: Iterable[str] = (),
) -> Toolbox:
    """Open the tools that an agent may use.

    Args:
        definition: The agent.
        port: Where it acts; at a gate, the state of its run binds every call.
        workspace: The folder of its files, if not the one that its definition names.
        protected: Folders that no file tool opens, besides the agent's own.
        approver: Asks a person.
        record: A recording to write results to.
        replay: A recording to take results from, instead of any tool.
        past: The keys of calls that are finished, for a replay.

    Raises:
        StoreError: The recording cannot be read.
    """
    redaction = Redactor(find_environment_secrets(os.environ))
    folder = Path(workspace or definition.tools.workspace)
    own = (Path(definition.folder), locate_journals(definition)) if definition.folder else ()
    bound: dict[str, Any] = {}
    if isinstance(port, GateAgentPort):
        bound["permission"] = port.check_tool_permission
    return Toolbox(
        definition,
        _make_tools(definition, port, folder, (*own, *protected)) if replay is None else (),
        _make_sources(definition, folder) if replay is None else (),
        approver=approver,
        redaction=redaction,
        record=ToolRecording(record, redaction) if record is not None else None,
        replay=_open_tool_replay(replay, past) if replay is not None else None,
        **bound,
    )


def _open_tool_replay(replay: str | Path | AgentJournal, past: Iterable[str]) -> ToolReplay:
    return ToolReplay(JsonLinesFile(replay) if isinstance(replay, str | Path) else replay, past)


def _make_tools(
    definition: AgentDefinition, port: AgentPort | None, folder: Path, hidden: tuple[Path, ...]
) -> Iterator[AgentTool]:
    files = WorkspaceFiles(folder, hidden)
    yield from (tool(files) for tool in FILE_TOOLS)
    if isinstance(port, GateAgentPort):
        yield from make_run_tools(port)
    for name, settings in definition.tools.commands.items():
        yield CommandTool(name, settings, folder)
    yield from load_functions(definition.allowed_tools)


def _make_sources(definition: AgentDefinition, folder: Path) -> Iterator[ToolSource]:
    if any(is_tool_named(name, definition.allowed_tools) for name in WORLD_TOOL_NAMES):
        yield WorldToolSource()
    for name, settings in definition.tools.servers.items():
        if any(is_server_named(name, each) for each in definition.allowed_tools):
            yield ServerTools(name, settings, folder)
