"""Many players at one server; slow or vanishing clients do not affect others."""

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.player_crowd import ask, find_percentile, make_crowd, play, vanish
from tests.fakes.servers import ServeProcess

pytestmark = pytest.mark.slow

PLAYERS = 60


class MeasuredServer(ServeProcess):
    """A server whose CPU time and memory can be read."""

    def read_cpu(self) -> float:
        """The seconds of CPU time that it has used."""
        told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = told.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def read_memory(self) -> float:
        """The megabytes of memory that it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredServer]:
    """One server for all tests."""
    with MeasuredServer(tmp_path_factory.mktemp("load")) as opened:
        yield opened


@run_coroutine
async def test_many_players_cost_little(server: MeasuredServer) -> None:
    """Every turn of many players counts once, and takes little CPU time.

    CPU time does not depend on what else the machine does; `make bench` measures how long a
    turn takes.
    """
    players = make_crowd(PLAYERS, server.port)
    await play(players, turns=0, rest=0.4)
    before = server.read_cpu()
    await play(players, turns=4, rest=0.4)
    each_turn = (server.read_cpu() - before) / (PLAYERS * 4)

    assert [4] * PLAYERS == [each.acknowledged for each in players]
    assert each_turn < 0.010


@run_coroutine
async def test_memory_levels_off(server: MeasuredServer) -> None:
    """The same load again and again does not need more and more memory."""
    players = make_crowd(20, server.port, mark="m")
    held = []
    for _ in range(3):
        await play(players, turns=12, rest=0.0)
        held.append(server.read_memory())

    assert held[2] < held[1] + 10, held


def _open_deaf_stream(port: int, run: str) -> socket.socket:
    """A client that follows a run and never reads."""
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    opened.connect(("127.0.0.1", port))
    opened.sendall(f"GET /api/v1/runs/{run}/live HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return opened


@run_coroutine
async def test_a_client_that_does_not_read_holds_no_other_up(server: MeasuredServer) -> None:
    """With a hundred clients that do not read, a player can play and memory does not grow."""
    (player,) = make_crowd(1, server.port, mark="d")
    await play([player], turns=0, rest=0.0)
    with ExitStack() as deaf:
        for _ in range(100):
            deaf.enter_context(_open_deaf_stream(server.port, player.run))
        await play([player], turns=20, rest=0.0)
        before = server.read_memory()
        await play([player], turns=40, rest=0.0)

        assert 60 == player.acknowledged
        assert server.read_memory() < before + 10
        assert find_percentile(player.seconds, 0.5) < 1000


@run_coroutine
async def test_a_client_that_vanishes_harms_no_other(server: MeasuredServer) -> None:
    """A client may disconnect at any point of its request, and other clients are answered."""
    (player,) = make_crowd(1, server.port, mark="v")
    await play([player], turns=0, rest=0.0)
    path = f"/api/v1/runs/{player.run}/words"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost:{server.port}\r\n"
    body = '{"text": "look"}'
    full = (
        f'{head}If-Match: "0"\r\nIdempotency-Key: gone\r\n'
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    for number in range(60):
        sent = (head[:20], full[: -len(body) // 2], full)[number % 3]
        await asyncio.to_thread(vanish, server.port, sent.encode())
    told = await ask(
        server.port, "POST", path[7:], {"text": "look"}, If_Match='"0"', Idempotency_Key="gone"
    )
    player.revision = told.body["revision"]
    await play([player], turns=5, rest=0.0)

    assert (200, 1) == (told.status, told.body["revision"])
    assert 6 == player.revision
