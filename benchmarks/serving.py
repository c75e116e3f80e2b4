"""Serving: two hundred players at one server, as people play and as fast as they can.

Players and server share the machine. The server's own figures are those of its journal:
from a request's head to the end of its answer. What the bare disk takes for the same bytes is
measured after the players, in the same folder.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median

import msgspec
from tests.fakes.player_crowd import find_percentile, make_crowd, play

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.keep import open_bare_file, time_commit
from benchmarks.row import Measurements, ResultRow
from saniwa.app.workspace import WorkspacePlaces
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

PLAYERS = 200
"""Players at once."""
REST = 2.0
"""Seconds for which a player reads before the next turn."""
SLOWEST = 100.0
"""Milliseconds of our own in which nineteen turns of twenty are done."""
BEYOND = 1.0
"""Milliseconds of our own, beyond the disk, in which half of the turns are done."""
COMMITS = 200
"""Turns that are stored again to measure the disk."""
GROWTH = 1.1
"""How much larger the server may be after three times the load than after two."""
_SAID = "Saniwa is running at "


class _ServerProcess:
    """A server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "saniwa", "serve", "--no-open", "--port", "0"]
        self._folder, self._journal = folder, folder / "journal.txt"
        with self._journal.open("wb") as journal:
            self.process = subprocess.Popen(
                [*command, "--log", "json"],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=journal,
                text=True,
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline().removeprefix(_SAID).split()[0]
        self.port = int(said.rstrip("/").rpartition(":")[2])

    def read_own_times(self) -> list[float]:
        """Seconds of its own for every turn so far."""
        lines = self._journal.read_text(encoding="utf-8").split("\n")
        told = (json.loads(line) for line in lines if line.startswith("{"))
        turns = (each for each in told if each.get("route", "").startswith("/runs/"))
        return [each["ms"] / 1000 for each in turns if each["method"] == "POST"]

    def read_cpu(self) -> float:
        """Seconds of CPU it has used."""
        told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = told.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def time_disk(self) -> float:
        """Milliseconds of a bare commit of a turn's bytes, next to the server's own file."""
        with (
            closing(SqliteRunStore(self._folder / WorkspacePlaces().store, mode="read")) as store,
            closing(open_bare_file(self._folder / "bare.sqlite")) as file,
        ):
            turns = (turn for run in store.list_runs() for turn in store.read_turns(run.run_id))
            again = (
                msgspec.structs.replace(turn, number=number)
                for number, turn in enumerate(islice(turns, COMMITS))
            )
            return median(time_commit(file, turn) for turn in again)

    def read_memory(self) -> float:
        """Megabytes it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def _open_server() -> Iterator[_ServerProcess]:
    with open_disk_folder() as folder:
        server = _ServerProcess(folder)
        try:
            yield server
        finally:
            server.process.terminate()
            server.process.communicate()


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about serving."""
    turns = bench.choose_amount(20, 5)
    with _open_server() as server:
        rows = [
            *_measure_resting_players(server, turns),
            _measure_busy_players(server, turns),
            _measure_growth(server, turns),
        ]
    return Measurements(rows=rows, growth=[])


def _measure_resting_players(server: _ServerProcess, turns: int) -> list[ResultRow]:
    players = make_crowd(PLAYERS, server.port)
    asyncio.run(play(players, 0, REST))
    before, spent = len(server.read_own_times()), server.read_cpu()
    asyncio.run(play(players, turns, REST))
    own, cost = server.read_own_times()[before:], (server.read_cpu() - spent) / (PLAYERS * turns)
    seen = [second for each in players for second in each.seconds]
    p50, p95, disk = find_percentile(own, 0.5), find_percentile(own, 0.95), server.time_disk()
    return [
        ResultRow(
            work=f"a turn of {PLAYERS} concurrent players, server time, p95",
            ours=p95,
            mark=f"under {SLOWEST:g} ms",
            met=p95 < SLOWEST,
            why="players and server share two cores, so a crowd that plays at the same "
            "instant waits for each other",
            note=f"half of them within {p50:.2f} ms; {cost * 1000:.1f} ms of CPU each. Each pauses for {REST:g} s before a turn; three of four play door "
            "and key by words, one reads Lantern Island; every turn is synced to disk.",
        ),
        ResultRow(
            work="the same without the disk, p50",
            ours=max(0.0, p50 - disk),
            mark=f"at most {BEYOND:g} ms",
            met=p50 - disk <= BEYOND,
            note=f"a bare commit of a turn's bytes takes {disk:.2f} ms in the same folder.",
            why="all of it is Python, a third of it the parser, and waking the thread that "
            "commits and the client; on a busy machine also waiting for a core",
        ),
        ResultRow(
            work="the same, measured by the clients, p95",
            ours=find_percentile(seen, 0.95),
            note=f"half of them within {find_percentile(seen, 0.5):.1f} ms; all players are one "
            "process on the same machine.",
        ),
    ]


def _measure_busy_players(server: _ServerProcess, turns: int) -> ResultRow:
    players = make_crowd(PLAYERS, server.port, mark="q")
    asyncio.run(play(players, 0, REST))
    began = time.perf_counter()
    asyncio.run(play(players, turns, 0.0))
    rate = PLAYERS * turns / (time.perf_counter() - began)
    return ResultRow(
        work=f"turns of {PLAYERS} players without pauses",
        ours=rate,
        unit="turns/s",
        note="one server process, one disk; each turn is synced before it is acknowledged.",
    )


def _measure_growth(server: _ServerProcess, turns: int) -> ResultRow:
    """Three groups of players, each with its own runs: more runs than are held open."""
    held = []
    for number in range(4):
        players = make_crowd(PLAYERS, server.port, mark=f"g{number}-")
        asyncio.run(play(players, turns, 0.0))
        held.append(server.read_memory())
    ratio = held[3] / held[2]
    return ResultRow(
        work="memory of the server after 200 more players",
        ours=held[3],
        peer="before it",
        theirs=held[2],
        unit="MB",
        mark=f"at most {GROWTH:g} times",
        met=ratio <= GROWTH,
        note=f"after each of four groups of {PLAYERS} new runs: "
        f"{', '.join(f'{each:.0f}' for each in held)} MB; 512 runs are held open.",
    )
