"""A server that is killed while visitors play, read and submit evidence."""

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.fakes.player_crowd import CrowdPlayer, play
from tests.fakes.servers import ServeProcess
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.visitors import (
    check_all_kept,
    check_no_others,
    make_project,
    make_visitors,
    wait_for_changes,
)

_TURNS = 12
_ABROAD = ("--behind-https",)
"""Every visitor signs in, as over a proxy."""


def _kill_server(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_kill_while_playing(make_project(folder), chance))


async def _kill_while_playing(folder: Path, chance: Random) -> TrialTally:
    kills = chance.randint(2, 4)
    with ServeProcess(folder, *_ABROAD, fresh=True) as server:
        players = make_visitors(chance.randint(3, 9), server.port, signed_in=True)
        playing = asyncio.create_task(play(players, _TURNS, 0.0))
        for _ in range(kills):
            await _let_play(players, playing, chance)
            server.kill()
            # A server killed while it starts has answered no request.
            if chance.random() < 0.3:
                await asyncio.to_thread(_kill_starting_server, server, chance)
            await asyncio.to_thread(server.restart)
        await playing
        found = await check_all_kept(players, server.port)
        await check_no_others(players, server.port)
    return TrialTally(harmed=kills, acknowledged=found)


async def _let_play(
    players: list[CrowdPlayer], playing: "asyncio.Task[None]", chance: Random
) -> None:
    """Wait until some more changes were acknowledged, and then for an instant."""
    so_far = sum(each.acknowledged for each in players)
    more = chance.randint(0, len(players) * _TURNS // 4)
    await wait_for_changes(players, so_far + more, playing)
    await asyncio.sleep(chance.uniform(0, 0.03))


def _kill_starting_server(server: ServeProcess, chance: Random) -> None:
    server.start()
    with suppress(subprocess.TimeoutExpired):
        server.process.wait(chance.uniform(0.1, 1.5))
    server.kill()


ORDEALS = (
    Ordeal(
        name="serve-killed",
        tried="A server of worlds, stories and a gate is killed with -9 while signed-in "
        "people send requests, and is started again; they repeat the requests.",
        promised="Every acknowledged change is there once and in order, revisions have "
        "no gap, every run replays, and the server shows what its players know.",
        trial=_kill_server,
    ),
)
