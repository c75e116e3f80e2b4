"""A server whose disk fills up, or whose file another process locks or replaces."""

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

from tests.fakes.player_crowd import CrowdAnswer, CrowdConnection, play
from tests.fakes.servers import ServeProcess
from tests.torture.child_process import run_command
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.small_disk import SmallDisk, try_on_disk
from tests.torture.visitors import (
    PATIENCE,
    check_all_kept,
    check_no_others,
    make_project,
    make_visitors,
    may_pass,
    wait_for_changes,
)

_TURNS = 6
_UNWRITABLE = ("TRACE_UNWRITABLE", "FILE_UNWRITABLE", "STORE_UNREADABLE")
_STORE = Path(".saniwa/saniwa.sqlite")

Harm = Callable[[], Coroutine[Any, Any, None]]
"""Does something to a server's files, and undoes it."""


class _PatientPlayers:
    """Lets players who are refused for lack of room, or by a lock, ask again; counts them."""

    def __init__(self) -> None:
        self.refused = 0

    def may_ask_again(self, told: CrowdAnswer) -> bool:
        """Whether the request may be sent again; a refusal for lack of room must have a hint."""
        unwritable = told.status == 500 and told.body["code"] in _UNWRITABLE
        if unwritable or may_pass(told):
            assert told.body["hint"], told
            self.refused += 1
            return True
        return False


async def _play_through_harm(folder: Path, chance: Random, harm: Harm) -> TrialTally:
    """Players play while the server is harmed; it is killed at the end, and checked."""
    patient = _PatientPlayers()
    with ServeProcess(folder) as server:
        players = make_visitors(chance.randint(3, 6), server.port)
        for each in players:
            each.again = patient.may_ask_again
        # Before the harm, so that every player has a run to look at.
        await play(players, 1, 0.0)
        playing = asyncio.create_task(play(players, _TURNS, 0.01))
        await wait_for_changes(players, chance.randint(len(players), 15), playing)
        await harm()
        async with asyncio.timeout(PATIENCE):
            await playing
        server.kill()
    with ServeProcess(folder) as server:
        found = await check_all_kept(players, server.port)
        await check_no_others(players, server.port)
    return TrialTally(harmed=1, acknowledged=found, refused=patient.refused)


def fill_disk(disk: SmallDisk, chance: Random) -> TrialTally:
    """A server on a disk that fills up, and then has room again."""

    async def fill_and_clear() -> None:
        disk.fill(leave=chance.choice([0, 4096, 16_384, 65_536]))
        await asyncio.sleep(chance.uniform(0.1, 0.5))
        disk.clear()

    return asyncio.run(_play_through_harm(make_project(disk.folder), chance, fill_and_clear))


def try_read_only(disk: SmallDisk, chance: Random) -> TrialTally:
    """A server opened on a read-only disk, and then on a writable one again."""
    return asyncio.run(_play_on_read_only(disk, make_project(disk.folder), chance))


async def _play_on_read_only(disk: SmallDisk, folder: Path, chance: Random) -> TrialTally:
    with ServeProcess(folder) as server:
        players = make_visitors(chance.randint(1, 4), server.port)
        await play(players, 2, 0.0)
    with disk.make_read_only():
        refused = _assert_stays_shut(folder)
    with ServeProcess(folder) as server:
        for each in players:
            each.wire = CrowdConnection(server.port)
        await play(players, 2, 0.0)
        found = await check_all_kept(players, server.port)
    return TrialTally(harmed=1, acknowledged=found, refused=refused)


def _assert_stays_shut(folder: Path) -> int:
    """The server exits with a code and a hint."""
    told = run_command(folder, "serve", "--no-open", "--port", "0")
    assert 3 == told.code, told
    assert any(code in told.err for code in _UNWRITABLE), told
    assert "hint: " in told.err, told
    return 1


def _lock_file(folder: Path, chance: Random) -> TrialTally:
    make_project(folder)

    async def hold_lock() -> None:
        # Sometimes longer than the server waits.
        seconds = chance.choice((0.2, 1.0, 6.0))
        await asyncio.to_thread(_hold, folder / _STORE, seconds)

    return asyncio.run(_play_through_harm(folder, chance, hold_lock))


def _hold(path: Path, seconds: float) -> None:
    """Lock a database as another process may: a copy, or a look with other tools."""
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    time.sleep(seconds)
    held.execute("ROLLBACK")
    held.close()


def _replace_file(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_replace_while_playing(make_project(folder), chance))


async def _replace_while_playing(folder: Path, chance: Random) -> TrialTally:
    """After the exchange, only what is in the new folder counts."""
    patient = _PatientPlayers()
    with ServeProcess(folder) as server:
        players = make_visitors(chance.randint(3, 6), server.port)
        for each in players:
            each.again = patient.may_ask_again
        playing = asyncio.create_task(play(players, _TURNS, 0.01))
        await wait_for_changes(players, chance.randint(0, 15), playing)
        await asyncio.sleep(chance.uniform(0, 0.03))
        _exchange_files(folder / ".saniwa", server)
        await asyncio.sleep(chance.uniform(0, 0.5))
        server.kill()
        server.restart()
        async with asyncio.timeout(PATIENCE):
            await playing
        found = await check_all_kept(players, server.port)
        await check_no_others(players, server.port)
    return TrialTally(harmed=1, acknowledged=found, refused=patient.refused)


def _exchange_files(place: Path, server: ServeProcess) -> None:
    """Move a server's files away and put copies in their place, while the server is paused."""
    server.process.send_signal(signal.SIGSTOP)
    shutil.copytree(place, place.with_suffix(".copy"))
    place.rename(place.with_suffix(".away"))
    place.with_suffix(".copy").rename(place)
    server.process.send_signal(signal.SIGCONT)


ORDEALS = (
    Ordeal(
        name="serve-disk-full",
        tried="The disk of a server with worlds, stories and a gate fills up while "
        "people play, and then has space again.",
        promised="Acknowledged changes are there once, also after a kill; refusals say what "
        "to do, and a repeated request succeeds without a restart.",
        trial=partial(try_on_disk, fill_disk),
    ),
    Ordeal(
        name="serve-read-only",
        tried="A server is started in a read-only folder, and then in a writable one.",
        promised="It reports why it does not start and what to do, and nothing is lost.",
        trial=partial(try_on_disk, try_read_only),
    ),
    Ordeal(
        name="serve-locked",
        tried="Another process locks the file of runs, sometimes longer than a server "
        "waits, while people play.",
        promised="Acknowledged changes are there once, also after a kill; refusals say what "
        "to do, and a repeated request succeeds.",
        trial=_lock_file,
    ),
    Ordeal(
        name="serve-replaced",
        tried="The files of a server are moved away and replaced by copies while "
        "people play; then it is killed and started again.",
        promised="Acknowledged changes are there once: none is only in the files that "
        "were moved away.",
        trial=_replace_file,
    ),
)
