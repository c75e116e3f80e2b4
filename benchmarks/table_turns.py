"""Saniwa's part of the comparison with Concordia: two characters, both played by agents.

table_turns.py TURNS FOLDER plays a run as `saniwa play --agent` does: the store and
the agents' journals on the disk, everything synced before it is shown. The model answers at
once. Prints one JSON object: what each turn took, and the digest of every prompt.
"""

import asyncio
import json
import os
import sys
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from benchmarks.keep import open_bare_file, open_worn_store, time_commit
from benchmarks.timing import time_once
from saniwa.app.agent_cast import CHARACTER, Cast
from saniwa.app.agent_journals import make_journal_opener
from saniwa.app.agent_lookup import open_agent
from saniwa.app.model_factory import SharedModels
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleRequest
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.run_factory import open_run
from saniwa.scenario.loader import load_scenario

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

FERRY: dict[str, Any] = {
    "name": "ferry",
    "gm_opening_message": "Mara and Ito wait for the ferry. There is a lamp and a bell.",
    "locations": {
        "pier": {"name": "Pier", "exits": {"north": "shed"}},
        "shed": {"name": "Shed", "exits": {"south": "pier"}},
    },
    "props": {
        "lamp": {"name": "lamp", "location": "pier"},
        "bell": {"name": "bell", "location": "pier"},
        "bench": {"name": "bench", "kind": "supporter", "location": "pier"},
    },
    "characters": {
        "mara": {"name": "Mara", "location": "pier", "goals": ["Light the lamp."]},
        "ito": {"name": "Ito", "location": "pier", "goals": ["Ring the bell."]},
    },
}
SAID = (
    "*take the lamp* The lamp is lit, and the tide is out.",
    "*put the lamp on the bench* Look at the ferry.",
    "*take the bell* The bell will ring at nine.",
    "*drop the bell* It is {past} past nine.",
    "Is it {past} past nine already?",
)
"""Not all of it can be done at any time: the world refuses what is not so."""


class _SyncCall(Protocol):
    """`os.fsync` or `os.fdatasync`."""

    def __call__(self, fd: "FileDescriptorLike") -> None: ...


class TableRun:
    """One run with its two agents, on the disk."""

    def __init__(self, folder: Path) -> None:
        self.prompts, self.syncs, self._folder = list[str](), 0, folder
        self._store = open_worn_store(folder / "runs.db")
        self.run = open_run(load_scenario(FERRY), resolve_layers(), self._store, actor="mara")
        models = SharedModels(lambda *_: CannedOracle(self._answer), use="canned:reply")
        self.company = Cast(
            self.run,
            models,
            open_agent,
            journals=make_journal_opener(folder / "runs.db", self.run.id),
        )

    def count_syncs(self) -> None:
        """From now on, in this process, count what is synced."""
        os.fsync, os.fdatasync = self._count_calls(os.fsync), self._count_calls(os.fdatasync)

    def _answer(self, request: OracleRequest) -> str:
        told = [request.system, *(message.text for message in request.messages)]
        self.prompts.append("\n".join(told))
        about = sha256(str(self.run.count).encode()).digest()
        number = int.from_bytes(about[:4], "big")
        said = SAID[number % len(SAID)].format(past=number % 997)
        return f"Thought: I know what I want.\nOutput: {said}"

    def _count_calls(self, sync: _SyncCall) -> _SyncCall:
        def sync_and_count(fd: "FileDescriptorLike") -> None:
            self.syncs += 1
            sync(fd)

        return sync_and_count

    async def take_turn(self, file: Connection, raw: int) -> dict[str, float]:
        """Let the next agent take its turn; its time, and that of the bare disk."""
        calls, syncs, turns = len(self.prompts), self.syncs, self.run.count
        journals = self._measure_journals()
        wall, cpu = perf_counter_ns(), process_time_ns()
        await self.company.game.play_next()
        wall, cpu = perf_counter_ns() - wall, process_time_ns() - cpu
        syncs, written = self.syncs - syncs, self._measure_journals() - journals
        kept = list(self.run.read_turns(turns))
        bare = sum(time_commit(file, turn) for turn in kept)
        bare += time_once(partial(_append_bytes, raw, written, syncs))
        return {
            "ms": wall / 1e6,
            "cpu_ms": cpu / 1e6,
            "bare_ms": bare,
            "calls": len(self.prompts) - calls,
            "characters": sum(map(len, self.prompts[calls:])),
            "kept_bytes": sum(len(msgspec.json.encode(turn)) for turn in kept),
            "journal_bytes": written,
            "syncs": syncs + len(kept),
        }

    def _measure_journals(self) -> int:
        return sum(each.stat().st_size for each in self._folder.rglob("*.jsonl"))

    async def close(self) -> None:
        """Close all agents."""
        await self.company.close()
        self._store.close()


def _append_bytes(raw: int, size: int, syncs: int) -> None:
    """As many bytes in as many syncs on the bare disk."""
    for _ in range(syncs):
        os.write(raw, b"x" * (size // syncs))
        os.fdatasync(raw)


async def play_table(turns: int, folder: Path) -> dict[str, Any]:
    """The evening."""
    evening = TableRun(folder)
    evening.count_syncs()
    await evening.company.game.seat_agents({"mara": CHARACTER, "ito": CHARACTER})
    with (folder / "raw").open("ab") as raw, closing(open_bare_file(folder / "bare.db")) as file:
        found = [await evening.take_turn(file, raw.fileno()) for _ in range(turns)]
    await evening.close()
    digests = [sha256(prompt.encode()).hexdigest() for prompt in evening.prompts]
    return {"turns": found, "prompts": digests}


def main(turns: int, folder: str) -> None:
    """Measure, and print what was measured."""
    print(json.dumps(asyncio.run(play_table(turns, Path(folder)))))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
