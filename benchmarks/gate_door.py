"""The small process that all are measured with: two states, an event back and forth."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.disk import open_memory_folder
from benchmarks.timing import time_cpu
from saniwa.app.gate.gate_opening import open_gate
from saniwa.process.definition import (
    EventDefinition,
    Process,
    StateDefinition,
    TransitionDefinition,
    encode_process,
)
from saniwa.process.event_record import EventRecord

FOLDER = ".state_gate"
"""The gate's folder, inside a project."""
DOOR = Process(
    process_id="door",
    version="1",
    name="A door",
    initial_state="open",
    states=(
        StateDefinition(name="open"),
        StateDefinition(name="shut"),
        StateDefinition(name="gone", is_final=True),
    ),
    events=(
        EventDefinition(name="move", allowed_roles=("*",)),
        EventDefinition(name="leave", allowed_roles=("*",)),
    ),
    transitions=(
        TransitionDefinition(source="open", event="move", to="shut"),
        TransitionDefinition(source="shut", event="move", to="open"),
        TransitionDefinition(source="open", event="leave", to="gone"),
    ),
)


class GateDoor:
    """The gate of a project, as an agent has it."""

    def __init__(self, project: Path) -> None:
        """Write the process down, and open the gate."""
        home = project / FOLDER
        processes = home / "processes"
        processes.mkdir(parents=True, exist_ok=True)
        (processes / "door.json").write_bytes(encode_process(DOOR))
        self._records = home / "metadata"
        self.gate = open_gate(home)

    def begin_run(self) -> str:
        """The id of a new run."""
        return self.gate.create_run(DOOR.process_id).run_id

    def move(self, run_id: str, revision: int, key: str) -> dict[str, Any]:
        """Send one event; what the gate answers."""
        return self.gate.emit_event(
            run_id=run_id, event_name="move", expected_revision=revision, idempotency_key=key
        )

    def walk(self, run_id: str, revision: int, events: int) -> int:
        """Send so many events from a revision on; the revision afterwards."""
        for now in range(revision, revision + events):
            told = self.move(run_id, now, f"key-{now}")
            assert told["success"], f"refused: {told}"
        return revision + events

    def time_state(self, run_id: str, times: int) -> float:
        """Milliseconds of asking for a run's state, which is asked so many times."""

        def ask() -> None:
            for _ in range(times):
                self.gate.get_state(run_id)

        return time_cpu(ask) / times

    def list_keys(self, run_id: str) -> Iterator[str]:
        """The keys of all events of a run."""
        for entry in self.gate.log.read_entries(run_id):
            if isinstance(entry, EventRecord):
                yield entry.key

    def locate_record(self, run_id: str) -> Path:
        """Where everything of a run is written first."""
        return self._records / f"{run_id}.jsonl"

    def close(self) -> None:
        """Let go of the files."""
        self.gate.log.close()


def write_long_run(project: Path, rows: int) -> str:
    """A run of so many rows, written in memory and then copied: its id."""
    with open_memory_folder() as folder:
        with closing(GateDoor(folder)) as door:
            run_id = door.begin_run()
            door.walk(run_id, 1, rows - 1)
        shutil.copytree(folder / FOLDER, project / FOLDER, dirs_exist_ok=True)
    return run_id
