"""A model that hangs or floods at one table, while people play at others."""

import asyncio
import json
import shutil
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from saniwa.app.agent_lookup import locate_shipped_agents
from tests.fakes.model_server import ModelServer
from tests.fakes.player_crowd import CrowdAnswer, ask, play
from tests.fakes.servers import ServeProcess
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.visitors import PATIENCE, check_all_kept, make_project, make_visitors

_TURNS = 6
_FLOODS = ("endless", "packed", "thoughts", "line", "comments", "huge")
_ATTEMPTS = 8
"""Planned answers: more than the number of attempts per question."""


def _write_agent(folder: Path, address: str) -> None:
    """A character like the one that ships with Saniwa, but with another model."""
    place = folder / ".agent" / "dreamer"
    shutil.copytree(locate_shipped_agents() / "character", place)
    said = json.loads((place / "agent.json").read_text())
    said["name"] = "dreamer"
    said["model"] |= {"use": "openai:stub", "url": f"{address}/v1"}
    (place / "agent.json").write_text(json.dumps(said))


def _trouble_table(folder: Path, chance: Random) -> TrialTally:
    with ModelServer(lambda _: "Thought: Hm.\nOutput: Good evening.") as model:
        _write_agent(make_project(folder), model.url)
        plan = "hold" if chance.random() < 0.5 else chance.choice(_FLOODS)
        model.plan(*[plan] * _ATTEMPTS)
        return asyncio.run(_trouble_table_at(folder, model, chance))


async def _trouble_table_at(folder: Path, model: ModelServer, chance: Random) -> TrialTally:
    hangs = model.planned[0] == "hold"
    with ServeProcess(folder) as server:
        port = server.port
        run = (await ask(port, "POST", "/runs", {"scenario": "lantern_island"})).body
        table = f"/runs/{run['run']}/table"
        seats = {"agents": {"pim": "dreamer", "player": "dreamer"}}
        sat = await _post_to_table(port, f"{table}/seat", seats, run["revision"])
        await _post_to_table(port, f"{table}/go", {"pace": 0, "moves": 1}, sat["revision"])
        await asyncio.to_thread(model.arrived.wait, PATIENCE)
        players = make_visitors(chance.randint(3, 6), port)
        async with asyncio.timeout(PATIENCE):
            await play(players, _TURNS, 0.0)
            found = await check_all_kept(players, port)
            if hangs:
                await _assert_still_thinking(port, table)
            model.planned.clear()
            model.released.set()
            done = await _wait_until_stopped(port, table)
        replay = await ask(port, "POST", f"/runs/{run['run']}/replay")
        assert replay.body["firstDifference"] is None, replay
        _is_told(done, sat["revision"], hangs=hangs)
    return TrialTally(harmed=1, acknowledged=found)


async def _assert_still_thinking(port: int, table: str) -> None:
    """While the model hangs, the table says that its agent is thinking."""
    view = (await ask(port, "GET", table)).body
    assert view["going"], view
    assert view["thinking"], view


async def _wait_until_stopped(port: int, table: str) -> dict[str, Any]:
    while True:
        view: dict[str, Any] = (await ask(port, "GET", table)).body
        if not view["going"]:
            return view
        await asyncio.sleep(0.05)


def _is_told(view: dict[str, Any], before: int, *, hangs: bool) -> None:
    """An agent that hung spoke in the end; one that flooded spoke or has an error with a hint."""
    spoken = view["revision"] > before
    trouble = view["trouble"]
    assert spoken or trouble, view
    assert not hangs or spoken, view
    assert not trouble or (trouble["code"] != "SYSTEM_ERROR" and trouble["hint"]), view


async def _post_to_table(port: int, path: str, body: Any, revision: int) -> dict[str, Any]:
    told: CrowdAnswer = await ask(port, "POST", path, body, If_Match=f'"{revision}"')
    assert told.status == 200, told
    answer: dict[str, Any] = told.body
    return answer


ORDEALS = (
    Ordeal(
        name="table-troubled",
        tried="The model of an agent in one run hangs, or answers without end, while "
        "people play other runs.",
        promised="No other run waits for it, the run shows who is thinking or what failed, "
        "and only judged turns are kept.",
        trial=_trouble_table,
    ),
)
