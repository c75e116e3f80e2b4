"""What an agent at work uses: its tools, its port to a gate, and the webhook for escalations."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.gate_port import GateAgentPort
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.call_results import CallResults
from saniwa.agent.tools.commands import CommandTool
from saniwa.agent.tools.files import FILE_TOOLS, WorkspaceFiles
from saniwa.agent.tools.plugins import ServerTools, is_server_named, load_functions
from saniwa.agent.tools.tool import AgentTool, ToolApprover, make_run_tools
from saniwa.agent.tools.toolbox import Toolbox, ToolSource
from saniwa.app import describe
from saniwa.app.agents import locate_journals
from saniwa.core.errors import LoopError
from saniwa.core.redaction import Redactor, find_environment_secrets, redact_address
from saniwa.models.recording import AgentJournal, ToolRecording, ToolReplay
from saniwa.store.json_lines import JsonLinesFile

if TYPE_CHECKING:
    from saniwa.agent.port import AgentPort
    from saniwa.app.gate.places import GatePlaces
    from saniwa.process.gate import Gate


class WebhookEscalationNotifier:
    """Sends escalations to addresses by HTTP."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        import asyncio

        from saniwa.app.gate.adapters import HttpWebhookSender
        from saniwa.app.gate.places import locate_gate, read_webhook_hosts

        body = msgspec.json.encode(message)
        webhook = HttpWebhookSender(hosts=lambda: read_webhook_hosts(locate_gate()))
        try:
            await asyncio.to_thread(webhook.send, address, body)
        except OSError as problem:
            raise describe(
                "ESCALATION_UNDELIVERED", address=redact_address(address), problem=problem
            ).to_error(LoopError) from problem


def make_gate_port(
    gate: "Gate",
    places: "GatePlaces",
    run_id: str,
    *,
    wait: bool,
    results: CallResults | None = None,
) -> "AgentPort":
    """Return an agent's port at a gate run; with `wait`, it polls for work."""
    from saniwa.agent.gate_port import GateAgentPort
    from saniwa.app.models import SystemPause
    from saniwa.store.gate.file_submission import DiskSubmissionFolder

    opening = gate.log.load_run(run_id).opening
    submissions = DiskSubmissionFolder(places.locate_artifacts(run_id, opening.folder))
    pause = SystemPause() if wait else None
    return GateAgentPort(gate, run_id, submissions, pause=pause, results=results)


def open_toolbox(
    definition: AgentDefinition,
    port: AgentPort | None,
    *,
    workspace: str | Path | None = None,
    protected: Iterable[Path] = (),
    approver: ToolApprover | None = None,
    record: AgentJournal | None = None,
    replay: str | Path | None = None,
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
    hidden = (*own, *protected)
    bound: dict[str, Any] = {}
    if isinstance(port, GateAgentPort):
        bound["permission"] = port.check_tool_permission
    return Toolbox(
        definition,
        _make_tools(definition, port, folder, hidden) if replay is None else (),
        _make_sources(definition, folder) if replay is None else (),
        approver=approver,
        redaction=redaction,
        record=ToolRecording(record, redaction) if record is not None else None,
        replay=ToolReplay(JsonLinesFile(replay), past) if replay is not None else None,
        **bound,
    )


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
    for name, settings in definition.tools.servers.items():
        if any(is_server_named(name, each) for each in definition.allowed_tools):
            yield ServerTools(name, settings, folder)
