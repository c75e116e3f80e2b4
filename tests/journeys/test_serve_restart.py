"""A server is killed while people play; no acknowledged turn is lost."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.player_crowd import CrowdPlayer, ask, make_crowd, play
from tests.fakes.servers import ServeProcess

pytestmark = pytest.mark.slow


async def _compare_revisions(player: CrowdPlayer, port: int) -> tuple[int, int]:
    """The revision of a player's run on the server, and as the player knows it."""
    told = await ask(port, "GET", f"/runs/{player.run}/moment")
    return told.body["revision"], player.revision


@run_coroutine
async def test_players_continue_after_a_kill(tmp_path: Path) -> None:
    """After two kills, repeated requests were done once and no acknowledged turn is lost."""
    with ServeProcess(tmp_path, fresh=True) as server:
        players = make_crowd(16, server.port)
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(play(players, turns=24, rest=0.02))
            for reached in (60, 180):
                await _wait_for_turns(players, reached, playing)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.restart)
        stands = [await _compare_revisions(each, server.port) for each in players]

    assert [24] * 16 == [each.acknowledged for each in players]
    assert [(own, own) for _, own in stands] == stands


@run_coroutine
async def test_a_server_that_is_asked_to_end_lets_answers_out(tmp_path: Path) -> None:
    """A stopped server answers open requests, or its clients repeat them after a restart."""
    with ServeProcess(tmp_path, fresh=True) as server:
        players = make_crowd(8, server.port)
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(play(players, turns=10, rest=0.02))
            await _wait_for_turns(players, 30, playing)
            await asyncio.to_thread(server.close)
            await asyncio.to_thread(server.restart)
        stands = [await _compare_revisions(each, server.port) for each in players]

    assert [(own, own) for _, own in stands] == stands


async def _wait_for_turns(
    players: list[CrowdPlayer], reached: int, playing: "asyncio.Task[None]"
) -> None:
    """Wait until that many turns were acknowledged, while the players are still playing."""
    while sum(each.acknowledged for each in players) < reached:
        await asyncio.sleep(0.01)
        assert not playing.done()
