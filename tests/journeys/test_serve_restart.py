"""A server is killed while people play; nothing that was acknowledged is lost."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.player_crowd import CrowdPlayer, ask, make_crowd, play
from tests.fakes.servers import ServeProcess

pytestmark = pytest.mark.slow


async def _compare_revisions(player: CrowdPlayer, port: int) -> tuple[int, int]:
    """The revision of a player's run as the server tells it, and as the player knows it."""
    told = await ask(port, "GET", f"/runs/{player.run}/moment")
    return told.body["revision"], player.revision


@run_coroutine
async def test_players_go_on_over_a_kill_as_if_nothing_had_been(tmp_path: Path) -> None:
    """Killed twice with -9 in the middle; requests sent again are done once."""
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
async def test_a_server_that_is_told_to_end_lets_answers_out(tmp_path: Path) -> None:
    """Ctrl-C in the middle: whoever asked is answered, or asks the next server again."""
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
    """Until so many turns were acknowledged, in the middle of the playing."""
    while sum(each.acknowledged for each in players) < reached:
        await asyncio.sleep(0.01)
        assert not playing.done()
