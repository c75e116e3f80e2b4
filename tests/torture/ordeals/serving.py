"""A server that is killed while people play, read and bring evidence."""

import asyncio
import subprocess
from contextlib import suppress
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.fakes.crowd import Player, play
from tests.fakes.servers import Server
from tests.torture.ordeal import Ordeal, Tally
from tests.torture.visitors import all_there, grounds, no_others, reached, visitors

_TURNS = 12
_ABROAD = ("--behind-https",)
"""Everybody signs in, as over a proxy."""


def _killed(folder: Path, chance: Random) -> Tally:
    return asyncio.run(_killed_while_playing(grounds(folder), chance))


async def _killed_while_playing(folder: Path, chance: Random) -> Tally:
    kills = chance.randint(2, 4)
    with Server(folder, *_ABROAD) as server:
        players = visitors(chance.randint(3, 9), server.port, signed_in=True)
        playing = asyncio.create_task(play(players, _TURNS, 0.0))
        for _ in range(kills):
            await _let_play(players, playing, chance)
            server.kill()
            # One that is killed while it opens has told nobody anything.
            if chance.random() < 0.3:
                await asyncio.to_thread(_stillborn, server, chance)
            await asyncio.to_thread(server.restart)
        await playing
        found = await all_there(players, server.port)
        await no_others(players, server.port)
    return Tally(harmed=kills, acknowledged=found)


async def _let_play(players: list[Player], playing: "asyncio.Task[None]", chance: Random) -> None:
    """Until some more was acknowledged, and then for an instant."""
    so_far = sum(each.acknowledged for each in players)
    more = chance.randint(0, len(players) * _TURNS // 4)
    await reached(players, so_far + more, playing)
    await asyncio.sleep(chance.uniform(0, 0.03))


def _stillborn(server: Server, chance: Random) -> None:
    server.start()
    with suppress(subprocess.TimeoutExpired):
        server.process.wait(chance.uniform(0.1, 1.5))
    server.kill()


ORDEALS = (
    Ordeal(
        name="serve-killed",
        tried="A server of worlds, stories and a gate is killed with -9 while signed-in "
        "people send what they do, and is opened again; they send it again.",
        promised="Whatever was answered is there once and in its order, revisions go on "
        "without a gap, every run replays, and the server tells what its players know.",
        trial=_killed,
    ),
)
