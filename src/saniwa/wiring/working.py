"""An agent at work from the command line: its model, its journal, its place at a gate."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.looping.journal import Story, read_story
from saniwa.core.errors import LoopError, StoreError
from saniwa.store.lines import Lines

if TYPE_CHECKING:
    from saniwa.agent.floor import Floor
    from saniwa.process.gate import Gate
    from saniwa.wiring.gate_places import GatePlaces

LAST = "last"
"""What stands for the newest journal."""
_BESIDE = Path(".saniwa") / "agents"


def journals_of(definition: AgentDefinition) -> Path:
    """The folder of an agent's journals: its own, or the project's for a shipped agent."""
    from saniwa.wiring.agents import shipped_agents

    if Path(definition.folder).parent == shipped_agents():
        return _BESIDE / definition.name
    return Path(definition.folder) / definition.logging.directory


def journal_named(folder: Path, named: str) -> Path:
    """The journal somebody means: its agent run's id, a part of it, or `last`.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
    """
    from saniwa.store.lookup import pick

    # Ids are in the order of time, so the last name is the newest.
    names = sorted(path.stem for path in folder.glob("agent-*.jsonl"))
    if not names:
        raise StoreError(
            "RUN_NOT_FOUND",
            "this agent has not run yet",
            hint="run it without --resume",
            details={"folder": str(folder)},
        )
    found = names[-1] if named == LAST else pick(named, names, "")
    return folder / f"{found}.jsonl"


def story_in(path: Path) -> Story:
    """What a journal tells.

    Raises:
        StoreError: It cannot be read.
    """
    return read_story(Lines(path).entries())


def prune(folder: Path, most: int) -> None:
    """Let the oldest finished journals go, so that no more than `most` are there."""
    paths = sorted(folder.glob("agent-*.jsonl"))
    for path in paths[: max(0, len(paths) - most)]:
        if story_in(path).ended:
            path.unlink(missing_ok=True)


class CarefulJournal:
    """A file of JSON lines in which no secret of the environment stands."""

    def __init__(self, path: Path) -> None:
        import os

        from saniwa.agent.bridges.redaction import Redaction, environment_secrets

        self._lines = Lines(path)
        self._redaction = Redaction(environment_secrets(os.environ))

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep an entry.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_BUSY`.
        """
        encoded = self._redaction.document(msgspec.json.encode(entry))
        self._lines.append(msgspec.json.decode(encoded), lasting=lasting)

    def entries(self) -> Any:
        """Everything kept so far."""
        return self._lines.entries()

    def close(self) -> None:
        """Flush and let go."""
        self._lines.close()


class TextLog:
    """What people read of a journal, as lines of text beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def hear(self, entry: Mapping[str, Any]) -> None:
        """Write an entry's lines."""
        from saniwa.agent.looping.telling import lines_of

        lines = lines_of(entry)
        if lines:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write("\n".join(lines) + "\n")


class Post:
    """Tells addresses about escalations, by HTTP."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        import asyncio

        from saniwa.wiring.webhook import Webhook

        body = msgspec.json.encode(message)
        try:
            await asyncio.to_thread(Webhook().send, address, body)
        except OSError as problem:
            raise LoopError(
                "ESCALATION_UNDELIVERED",
                f"{address!r} could not be told about an escalation: {problem}",
                hint="see that something listens there, then go on with --resume",
                recoverable=True,
                details={"address": address},
            ) from problem


def gate_floor(
    gate: "Gate", places: "GatePlaces", run_id: str, *, wait: bool
) -> "Floor":
    """A worker's place at a run; one that waits looks again and again."""
    from saniwa.agent.worker.floor import GateFloor
    from saniwa.store.gate.bench import FolderBench
    from saniwa.wiring.model import SystemPause

    opening = gate.log.standing(run_id).opening
    bench = FolderBench(places.artifacts(run_id, opening.folder))
    return GateFloor(gate, run_id, bench, pause=SystemPause() if wait else None)
