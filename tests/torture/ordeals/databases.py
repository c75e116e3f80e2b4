"""A database that crashes and restarts, and connections to it that break."""

import asyncio
import atexit
from contextlib import ExitStack
from functools import cache
from itertools import count
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Final
from urllib.parse import quote

import psycopg

from saniwa.core.errors import StoreError
from saniwa.store.postgres_stores import PostgresOutcomeStore
from tests.fakes.cell_writer import make_outcome
from tests.fakes.player_crowd import CrowdPlayer, play
from tests.fakes.postgres import PostgresServer
from tests.fakes.servers import ServeProcess
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.severing_proxy import SeveringProxy
from tests.torture.visitors import (
    check_all_kept,
    check_no_others,
    make_project,
    make_visitors,
    wait_for_changes,
)

_TURNS = 8
_ODDS = 0.04
_CELLS = 40
_EXPERIMENT = "f" * 16
_NUMBERS: Final = count()


@cache
def _start_database() -> PostgresServer:
    """One for all trials: creating a cluster takes longer than most of them."""
    server = PostgresServer()
    atexit.register(server.stop)
    return server


def _create_database() -> str:
    """The name of a new, empty database."""
    name = f"trial_{next(_NUMBERS)}"
    _start_database().restart()
    with psycopg.connect(_start_database().url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
    return name


def _make_socket_url(name: str) -> str:
    place = quote(str(_start_database().socket.parent), safe="")
    return f"postgresql://saniwa@/{name}?host={place}"


def _make_port_url(name: str, port: int) -> str:
    return f"postgresql://saniwa@127.0.0.1:{port}/{name}?sslmode=disable"


def _try_outage(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_play_through_outage(make_project(folder), chance))


async def _play_through_outage(folder: Path, chance: Random) -> TrialTally:
    crashes = chance.randint(1, 2)
    address = _make_socket_url(_create_database())
    with ServeProcess(folder, "--store", address, "--gate", address) as server:
        players = make_visitors(chance.randint(3, 7), server.port)
        playing = asyncio.create_task(play(players, _TURNS, chance.choice((0.0, 0.02))))
        for _ in range(crashes):
            await _let_play(players, playing, chance)
            await asyncio.to_thread(_start_database().crash)
            await asyncio.sleep(chance.uniform(0, 0.5))
            # Not in a thread: the database would end with it.
            _start_database().restart()
        await playing
        found = await check_all_kept(players, server.port)
        await check_no_others(players, server.port)
    return TrialTally(harmed=crashes, acknowledged=found)


async def _let_play(
    players: list[CrowdPlayer], playing: "asyncio.Task[None]", chance: Random
) -> None:
    so_far = sum(each.acknowledged for each in players)
    more = chance.randint(0, len(players) * _TURNS // 3)
    await wait_for_changes(players, so_far + more, playing)


def _cut_database_lines(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_cut_while_playing(make_project(folder), chance))


async def _cut_while_playing(folder: Path, chance: Random) -> TrialTally:
    """One or two servers on one database, over connections that break."""
    name = _create_database()
    with ExitStack() as opened:
        line = opened.enter_context(SeveringProxy(_start_database().socket, chance, 0.0))
        address = _make_port_url(name, line.port)
        servers = [
            opened.enter_context(ServeProcess(folder, "--store", address, "--gate", address))
            for _ in range(chance.randint(1, 2))
        ]
        ports = [each.port for each in servers]
        line.odds = _ODDS
        players = make_visitors(chance.randint(3, 6), *ports)
        await play(players, _TURNS, 0.0, hop=len(ports) > 1)
        line.odds = 0.0
        found = [await check_all_kept(players, port) for port in ports]
        await check_no_others(players, ports[0])
    return TrialTally(harmed=line.cuts, acknowledged=found[0])


def _cut_cell_lines(folder: Path, chance: Random) -> TrialTally:
    """Two stores of the same cells: each cell has one outcome, acknowledged to its writer only."""
    del folder
    name, told, unknown = _create_database(), dict[str, list[tuple[int, bool]]](), 0
    with SeveringProxy(_start_database().socket, chance, 0.0) as line:
        shelves = [
            PostgresOutcomeStore(
                _make_port_url(name, line.port), _EXPERIMENT, pauses=(0.0,) * chance.randint(0, 3)
            )
            for _ in range(2)
        ]
        line.odds = 0.3
        for number in range(_CELLS):
            key = f"k{number}"
            for by in chance.sample((0, 1), 2):
                try:
                    first = shelves[by].keep(key, make_outcome(key, by=by))
                except StoreError as problem:
                    if problem.code != "STORE_UNREACHABLE":
                        raise
                    unknown += 1
                else:
                    told.setdefault(key, []).append((by, first))
        line.odds = 0.0
        found = {key: shelves[0].get_outcome(key) for key in told}
        for each in shelves:
            each.close()
    for key, claims in told.items():
        won = [by for by, first in claims if first]
        assert found[key] in [make_outcome(key, by=by) for by in (0, 1)], key
        assert len(won) <= 1, claims
        assert not won or make_outcome(key, by=won[0]) == found[key], claims
    return TrialTally(harmed=line.cuts, acknowledged=len(told), refused=unknown)


ORDEALS = (
    Ordeal(
        name="database-away",
        tried="The PostgreSQL of a server with worlds, stories and a gate is stopped at "
        "once and started again, while players repeat the requests that failed.",
        promised="The server continues by itself; every acknowledged change is there once, in "
        "order, and every other one was done once or not at all.",
        trial=_try_outage,
    ),
    Ordeal(
        name="database-cut",
        tried="Connections of servers to PostgreSQL are cut, before a statement "
        "arrives or after it was committed and before the answer arrives.",
        promised="Failures are reported; a request repeated under its key is done once, "
        "and both servers give the same answers.",
        trial=_cut_database_lines,
    ),
    Ordeal(
        name="cells-cut",
        tried="Two writers store the same cells of an experiment in PostgreSQL over connections "
        "that are cut before a statement or its answer arrives.",
        promised="A cell has one complete outcome, and a writer whose outcome was accepted "
        "finds it there.",
        trial=_cut_cell_lines,
    ),
)
