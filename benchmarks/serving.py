"""Serving: two hundred players at one server, as people play and as fast as they can.

Players and server share the machine. The server's own figures are those of its journal:
from a request's head to the end of its answer.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.crowd import crowd, play, share

from benchmarks.bench import Bench
from benchmarks.disk import on_disk
from benchmarks.row import Found, Row

PLAYERS = 200
"""Players at once."""
REST = 2.0
"""Seconds for which a player reads before the next turn."""
SLOWEST = 100.0
"""Milliseconds of our own in which nineteen turns of twenty are done."""
GROWTH = 1.1
"""How much larger the server may be after three times the load than after two."""
_SAID = "The garden is open at "


class _Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "saniwa", "serve", "--no-open", "--port", "0"]
        self._journal = folder / "journal.txt"
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

    def own(self) -> list[float]:
        """Seconds of its own for every turn so far."""
        lines = self._journal.read_text(encoding="utf-8").split("\n")
        told = (json.loads(line) for line in lines if line.startswith("{"))
        turns = (each for each in told if each.get("route", "").startswith("/runs/"))
        return [each["ms"] / 1000 for each in turns if each["method"] == "POST"]

    def cpu(self) -> float:
        """Seconds of CPU it has used."""
        told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = told.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def _served() -> Iterator[_Server]:
    with on_disk() as folder:
        server = _Server(folder)
        try:
            yield server
        finally:
            server.process.terminate()
            server.process.communicate()


def measured(bench: Bench) -> Found:
    """Everything about serving."""
    turns = bench.amount(20, 5)
    with _served() as server:
        rows = [*_resting(server, turns), _pressed(server, turns), _grown(server, turns)]
    return Found(rows=rows, growth=[])


def _resting(server: _Server, turns: int) -> list[Row]:
    players = crowd(PLAYERS, server.port)
    asyncio.run(play(players, 0, REST))
    before, spent = len(server.own()), server.cpu()
    asyncio.run(play(players, turns, REST))
    own, cost = server.own()[before:], (server.cpu() - spent) / (PLAYERS * turns)
    seen = [second for each in players for second in each.seconds]
    p95 = share(own, 0.95)
    return [
        Row(
            work=f"a turn of {PLAYERS} players at once, our own time, p95",
            ours=p95,
            mark=f"under {SLOWEST:g} ms",
            met=p95 < SLOWEST,
            why="players and server share two cores, so a crowd that plays at the same "
            "instant waits for each other",
            note=f"half of them within {share(own, 0.5):.1f} ms; {cost * 1000:.1f} ms "
            f"of CPU each. Each rests {REST:g} s before a turn; three of four play door "
            "and key by words, one reads Lantern Island; every turn is synced to disk.",
        ),
        Row(
            work="the same as the players see it, p95",
            ours=share(seen, 0.95),
            note=f"half of them within {share(seen, 0.5):.1f} ms; all players are one "
            "process on the same machine.",
        ),
    ]


def _pressed(server: _Server, turns: int) -> Row:
    players = crowd(PLAYERS, server.port, mark="q")
    asyncio.run(play(players, 0, REST))
    began = time.perf_counter()
    asyncio.run(play(players, turns, 0.0))
    rate = PLAYERS * turns / (time.perf_counter() - began)
    return Row(
        work=f"turns of {PLAYERS} players who never rest",
        ours=rate,
        unit="turns/s",
        note="one server process, one disk; each turn is synced before it is told.",
    )


def _grown(server: _Server, turns: int) -> Row:
    """Three crowds, each with runs of its own: more runs than are held open."""
    held = []
    for number in range(4):
        players = crowd(PLAYERS, server.port, mark=f"g{number}-")
        asyncio.run(play(players, turns, 0.0))
        held.append(server.memory())
    ratio = held[3] / held[2]
    return Row(
        work="memory of the server, another crowd after the last",
        ours=held[3],
        peer="before it",
        theirs=held[2],
        unit="MB",
        mark=f"at most {GROWTH:g} times",
        met=ratio <= GROWTH,
        note=f"after each of four crowds with {PLAYERS} new runs: "
        f"{', '.join(f'{each:.0f}' for each in held)} MB; 512 runs are held open.",
    )
