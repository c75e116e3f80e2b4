"""Runs an agent with tools in a folder until it ends or is killed.

Run as a program: `python -m tests.fakes.tool_agent FOLDER N`, in the folder of its work.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from saniwa.agent.layer_contracts import AgentResult, StartOptions
from saniwa.agent.loop.lifecycle import DefaultAgentFactory
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest
from saniwa.app.agent_journals import FileJournal, load_journal
from saniwa.app.agent_lookup import open_agent
from saniwa.app.agent_tools import open_toolbox
from saniwa.app.model_factory import open_bridge, open_recording
from saniwa.core.clock import FixedClock
from tests.fakes.mortal_worker import MortalJournal

APPEND = "import sys; open('effects.txt', 'a').write(sys.argv[1] + '\\n'); print('added')"
"""A command that adds a line each time it is run."""


def make_call(name: str, **arguments: Any) -> dict[str, Any]:
    """An answer that calls one tool."""
    return {"calls": [{"name": name, "arguments": arguments}]}


def write_tool_agent(
    folder: Path,
    answers: list[Any],
    *,
    allowed: tuple[str, ...] = ("*",),
    mode: str = "bypassPermissions",
    commands: dict[str, Any] | None = None,
    **more: Any,
) -> Path:
    """Write an agent that makes one request, and has canned answers."""
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts" / "system.md").write_text("You use tools.")
    (folder / "prompts" / "ask.md").write_text("What now?")
    python = {"command": [sys.executable, "-c", APPEND, "{line}"], "description": "Add a line."}
    behavior: dict[str, Any] = {"completionType": "stepMachine", "allowedTools": list(allowed)}
    agent = {
        "version": "1.0.0",
        "name": "hands",
        "displayName": "Hands",
        "description": "Uses tools.",
        "behavior": behavior | ({"permissionMode": mode} if mode else {}),
        "model": {"use": "canned:answers.json"},
        "tools": {"commands": commands or {"append": python}},
        **more,
    }
    step = {"id": "work", "prompt": {"path": "ask.md"}, "complete": True}
    flow = {"version": "1.0.0", "entryStep": "work", "steps": {"work": step}}
    (folder / "agent.json").write_text(json.dumps(agent))
    (folder / "steps_registry.json").write_text(json.dumps(flow))
    (folder / "answers.json").write_text(json.dumps(answers))
    return folder


class FirmApprover:
    """Gives every question the same answer, and records the questions."""

    def __init__(self, decision: ApprovalDecision | None) -> None:
        self.decision = decision
        self.asked: list[ApprovalRequest] = []

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the one answer."""
        self.asked.append(request)
        return self.decision


def run_tool_agent(
    folder: Path,
    work: Path,
    *,
    left: int = -1,
    resume: bool = False,
    port: AgentPort | None = None,
    approver: FirmApprover | None = None,
    record: Path | None = None,
    replay: Path | None = None,
) -> AgentResult:
    """Run the agent; its files are below `work`, its journal is next to the agent's folder."""
    definition = open_agent(str(folder))
    path = folder.parent / "agent-1.jsonl"
    past = load_journal(path).past if resume else None
    recording = open_recording(record) if record is not None else None

    async def play() -> AgentResult:
        factory = DefaultAgentFactory(
            lambda each: open_bridge(
                each.asking, folder=each.folder, past=past, record=recording, replay=replay
            ),
            port=port,
            journal=lambda _: MortalJournal(path, left) if left >= 0 else FileJournal(path),
            toolbox=lambda each: open_toolbox(
                each,
                port,
                workspace=work,
                approver=approver,
                record=recording,
                replay=replay,
                past=past.calls if past is not None else (),
            ),
            name="agent-1",
            clock=FixedClock(),
        )
        agent = factory.build(definition)
        await agent.start(StartOptions(resume=resume))
        await agent.wait()
        return await agent.stop()

    return asyncio.run(play())


if __name__ == "__main__":
    run_tool_agent(Path(sys.argv[1]), Path(sys.argv[2]), left=int(sys.argv[3]))
