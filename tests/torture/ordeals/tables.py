"""A model that hangs or floods at one table, while people play at others."""

import asyncio
import json
import shutil
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from saniwa.app.agent_catalog import locate_shipped_agents
from tests.fakes.crowd import Told, ask, play
from tests.fakes.model_server import ModelServer
from tests.fakes.servers import Server
from tests.torture.ordeal import Ordeal, Tally
from tests.torture.visitors import PATIENCE, all_there, grounds, visitors

_TURNS = 6
_FLOODS = ("endless", "packed", "thoughts", "line", "comments", "huge")
_ATTEMPTS = 8
"""Answers that are planned: more than a question is asked again."""


def _agent(folder: Path, address: str) -> None:
    """A character like the one that comes with Saniwa, which asks somebody else."""
    place = folder / ".agent" / "dreamer"
    shutil.copytree(locate_shipped_agents() / "character", place)
    said = json.loads((place / "agent.json").read_text())
    said["name"] = "dreamer"
    said["model"] |= {"use": "openai:stub", "url": f"{address}/v1"}
    (place / "agent.json").write_text(json.dumps(said))


def _troubled(folder: Path, chance: Random) -> Tally:
    with ModelServer(lambda _: "Thought: Hm.\nOutput: Good evening.") as model:
        _agent(grounds(folder), model.url)
        plan = "hold" if chance.random() < 0.5 else chance.choice(_FLOODS)
        model.plan(*[plan] * _ATTEMPTS)
        return asyncio.run(_troubled_at(folder, model, chance))


async def _troubled_at(folder: Path, model: ModelServer, chance: Random) -> Tally:
    hangs = model.planned[0] == "hold"
    with Server(folder) as server:
        port = server.port
        run = (await ask(port, "POST", "/runs", {"scenario": "lantern_island"})).body
        table = f"/runs/{run['run']}/table"
        seats = {"agents": {"pim": "dreamer", "player": "dreamer"}}
        sat = await _told(port, f"{table}/seat", seats, run["revision"])
        await _told(port, f"{table}/go", {"pace": 0, "moves": 1}, sat["revision"])
        await asyncio.to_thread(model.arrived.wait, PATIENCE)
        players = visitors(chance.randint(3, 6), port)
        async with asyncio.timeout(PATIENCE):
            await play(players, _TURNS, 0.0)
            found = await all_there(players, port)
            if hangs:
                await _thinks(port, table)
            model.planned.clear()
            model.released.set()
            done = await _stopped(port, table)
        replay = await ask(port, "POST", f"/runs/{run['run']}/replay")
        assert replay.body["firstDifference"] is None, replay
        _is_told(done, sat["revision"], hangs=hangs)
    return Tally(harmed=1, acknowledged=found)


async def _thinks(port: int, table: str) -> None:
    """The others have played all their turns, and it still hangs: the table says so."""
    view = (await ask(port, "GET", table)).body
    assert view["going"], view
    assert view["thinking"], view


async def _stopped(port: int, table: str) -> dict[str, Any]:
    while True:
        view: dict[str, Any] = (await ask(port, "GET", table)).body
        if not view["going"]:
            return view
        await asyncio.sleep(0.05)


def _is_told(view: dict[str, Any], before: int, *, hangs: bool) -> None:
    """One that hung has spoken in the end; one that flooded is told, with a cure."""
    spoken = view["revision"] > before
    trouble = view["trouble"]
    assert spoken or trouble, view
    assert not hangs or spoken, view
    assert not trouble or (trouble["code"] != "SYSTEM_ERROR" and trouble["hint"]), view


async def _told(port: int, path: str, body: Any, revision: int) -> dict[str, Any]:
    told: Told = await ask(port, "POST", path, body, If_Match=f'"{revision}"')
    assert told.status == 200, told
    answer: dict[str, Any] = told.body
    return answer


ORDEALS = (
    Ordeal(
        name="table-troubled",
        tried="The model of an agent at one table hangs, or answers without an end, while "
        "people play at others.",
        promised="Nobody else waits for it, the table tells who is thinking or what went "
        "wrong, and nothing but a judged turn is kept.",
        trial=_troubled,
    ),
)
