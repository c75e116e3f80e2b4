"""A worker that is killed with -9 before its journal takes entry number N.

Run as a program: `python -m tests.fakes.mortal_worker PLACE JOURNAL ANSWERS N [RUN]`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from saniwa.agent.definition import ModelSettings
from saniwa.agent.layer_contracts import AgentResult, StartOptions
from saniwa.agent.loop.lifecycle import DefaultAgentFactory
from saniwa.app.agent_journals import FileJournal, load_journal
from saniwa.app.agent_lookup import open_agent
from saniwa.app.agent_tools import open_toolbox
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import make_gate_port, open_gate
from saniwa.app.model_factory import open_bridge


class MortalJournal(FileJournal):
    """Kills its own process before it keeps entry number `left`."""

    def __init__(self, path: Path, left: int) -> None:
        super().__init__(path)
        self._left = left

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep an entry, unless it is that one."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        super().append(entry, lasting=lasting)


def run_worker(
    place: Path, journal: Path, answers: Path, left: int, run_id: str, *, resume: bool
) -> AgentResult:
    """Run the shipped worker agent on a run until it ends or is killed."""
    past = load_journal(journal).past if resume else None
    settings = ModelSettings(use=f"canned:{answers}", history=0)
    with open_gate(place) as gate:
        floor = make_gate_port(gate, locate_gate(place), run_id, wait=False)
        factory = DefaultAgentFactory(
            lambda _: open_bridge(settings, past=past),
            port=floor,
            journal=lambda _: MortalJournal(journal, left),
            about={"run": run_id},
            toolbox=partial(open_toolbox, port=floor),
        )
        return asyncio.run(_run_agent(factory, resume=resume))


async def _run_agent(factory: DefaultAgentFactory, *, resume: bool) -> AgentResult:
    from saniwa.agent.layer_contracts import BuildOptions

    arguments = {"topic": "does a lid keep tea warm"}
    agent = factory.build(open_agent("worker"), BuildOptions(arguments=arguments))
    await agent.start(StartOptions(resume=resume))
    await agent.wait()
    return await agent.stop()


if __name__ == "__main__":
    where, written, recorded, count, named = sys.argv[1:6]
    run_worker(Path(where), Path(written), Path(recorded), int(count), named, resume=False)
