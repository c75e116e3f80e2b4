"""A server whose disk fills up, whose file somebody else holds, or puts another for."""

import asyncio
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from tests.fakes.crowd import Told, Wire, play
from tests.fakes.servers import Server
from tests.torture.child import typed
from tests.torture.disk import Disk, on_a_disk
from tests.torture.ordeal import Ordeal, Tally
from tests.torture.visitors import (
    PATIENCE,
    all_there,
    grounds,
    may_pass,
    no_others,
    reached,
    visitors,
)

_TURNS = 6
_UNWRITABLE = ("TRACE_UNWRITABLE", "FILE_UNWRITABLE", "STORE_UNREADABLE")
_STORE = Path(".saniwa/saniwa.sqlite")

Harm = Callable[[], Coroutine[Any, Any, None]]
"""Does something to a server's files, and puts it right again."""


class _Patient:
    """Has whoever is refused for want of room, or by a lock, ask again; and counts."""

    def __init__(self) -> None:
        self.refused = 0

    def again(self, told: Told) -> bool:
        """Whether it may pass; what is not told with a cure may not."""
        unwritable = told.status == 500 and told.body["code"] in _UNWRITABLE
        if unwritable or may_pass(told):
            assert told.body["hint"], told
            self.refused += 1
            return True
        return False


async def _harmed(folder: Path, chance: Random, harm: Harm) -> Tally:
    """People play on; the server is harmed meanwhile, killed at the end, and looked at."""
    patient = _Patient()
    with Server(folder) as server:
        players = visitors(chance.randint(3, 6), server.port)
        for each in players:
            each.again = patient.again
        # Before there is harm, so that what they began can be looked at all the time.
        await play(players, 1, 0.0)
        playing = asyncio.create_task(play(players, _TURNS, 0.01))
        await reached(players, chance.randint(len(players), 15), playing)
        await harm()
        async with asyncio.timeout(PATIENCE):
            await playing
        server.kill()
    with Server(folder) as server:
        found = await all_there(players, server.port)
        await no_others(players, server.port)
    return Tally(harmed=1, acknowledged=found, refused=patient.refused)


def full(disk: Disk, chance: Random) -> Tally:
    """A server on a disk that fills up, and has room again."""

    async def harm() -> None:
        disk.fill(leave=chance.choice([0, 4096, 16_384, 65_536]))
        await asyncio.sleep(chance.uniform(0.1, 0.5))
        disk.clear()

    return asyncio.run(_harmed(grounds(disk.folder), chance, harm))


def read_only(disk: Disk, chance: Random) -> Tally:
    """A server that is opened where nobody may write; then where one may again."""
    return asyncio.run(_read_only(disk, grounds(disk.folder), chance))


async def _read_only(disk: Disk, folder: Path, chance: Random) -> Tally:
    with Server(folder) as server:
        players = visitors(chance.randint(1, 4), server.port)
        await play(players, 2, 0.0)
    with disk.read_only():
        refused = _stays_shut(folder)
    with Server(folder) as server:
        for each in players:
            each.wire = Wire(server.port)
        await play(players, 2, 0.0)
        found = await all_there(players, server.port)
    return Tally(harmed=1, acknowledged=found, refused=refused)


def _stays_shut(folder: Path) -> int:
    """It says why it does not open, and what to do."""
    told = typed(folder, "serve", "--no-open", "--port", "0")
    assert 3 == told.code, told
    assert any(code in told.err for code in _UNWRITABLE), told
    assert "hint: " in told.err, told
    return 1


def _locked(folder: Path, chance: Random) -> Tally:
    grounds(folder)

    async def harm() -> None:
        # Longer than the server's patience, now and then.
        seconds = chance.choice((0.2, 1.0, 6.0))
        await asyncio.to_thread(_hold, folder / _STORE, seconds)

    return asyncio.run(_harmed(folder, chance, harm))


def _hold(path: Path, seconds: float) -> None:
    """Hold a database as another process may: a copy, a look with other tools."""
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    time.sleep(seconds)
    held.execute("ROLLBACK")
    held.close()


def _replaced(folder: Path, chance: Random) -> Tally:
    return asyncio.run(_replaced_while_playing(grounds(folder), chance))


async def _replaced_while_playing(folder: Path, chance: Random) -> Tally:
    """After the exchange nothing counts but what is in the folder that lies there now."""
    patient = _Patient()
    with Server(folder) as server:
        players = visitors(chance.randint(3, 6), server.port)
        for each in players:
            each.again = patient.again
        playing = asyncio.create_task(play(players, _TURNS, 0.01))
        await reached(players, chance.randint(0, 15), playing)
        await asyncio.sleep(chance.uniform(0, 0.03))
        _exchange(folder / ".saniwa", server)
        await asyncio.sleep(chance.uniform(0, 0.5))
        server.kill()
        server.restart()
        async with asyncio.timeout(PATIENCE):
            await playing
        found = await all_there(players, server.port)
        await no_others(players, server.port)
    return Tally(harmed=1, acknowledged=found, refused=patient.refused)


def _exchange(place: Path, server: Server) -> None:
    """Move a server's files away, and put copies in their place, all in one instant."""
    server.process.send_signal(signal.SIGSTOP)
    shutil.copytree(place, place.with_suffix(".copy"))
    place.rename(place.with_suffix(".away"))
    place.with_suffix(".copy").rename(place)
    server.process.send_signal(signal.SIGCONT)


ORDEALS = (
    Ordeal(
        name="serve-disk-full",
        tried="The disk beneath a server of worlds, stories and a gate fills up while "
        "people play, and has room again.",
        promised="What was answered is there once, after a kill too; what is refused says "
        "so with a cure, and sent again it is done, without a new start.",
        trial=partial(on_a_disk, full),
    ),
    Ordeal(
        name="serve-read-only",
        tried="A server is opened where nobody may write, and then where one may again.",
        promised="It says why it does not open and what to do, and nothing is lost.",
        trial=partial(on_a_disk, read_only),
    ),
    Ordeal(
        name="serve-locked",
        tried="Another process holds the file of runs, at times longer than a server's "
        "patience, while people play.",
        promised="What was answered is there once, after a kill too; what is refused says "
        "so with a cure, and sent again it is done.",
        trial=_locked,
    ),
    Ordeal(
        name="serve-replaced",
        tried="The files of a server are moved away and copies put in their place while "
        "people play; then it is killed and opened again.",
        promised="What was answered is there once: nothing is acknowledged that only the "
        "files elsewhere hold.",
        trial=_replaced,
    ),
)
