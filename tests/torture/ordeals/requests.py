"""Requests that arrive twice, late, out of order, and under another request's key."""

import asyncio
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from tests.fakes.player_crowd import DOOR, ISLAND, CrowdAnswer, CrowdConnection, CrowdPlayer, ask
from tests.fakes.servers import ServeProcess
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.unreliable_network import UnreliableMail
from tests.torture.visitors import (
    PATIENCE,
    EvidenceSender,
    check_all_kept,
    check_no_others,
    list_items,
    make_project,
)

_TURNS = 6


class _HurriedPlayer:
    """Plays over an unreliable network, with other players."""

    def __init__(self, player: CrowdPlayer, mail: UnreliableMail, chance: Random) -> None:
        self.player, self._mail, self._chance = player, mail, chance
        self.said = list[str]()
        self.refused = 0

    async def play(self) -> None:
        """Begin a run and play it to the end."""
        self.player.ask_until_answered = self._ask_until_sure  # type: ignore[method-assign]
        await self.player.begin()
        for _ in range(_TURNS):
            await self.player.turn()

    async def _ask_until_sure(self, path: str, body: Any = None) -> CrowdAnswer:
        key = f"{self.player.name}-{len(self.said)}"
        self.said.append(path)
        named = {"If_Match": f'"{self.player.revision}"', "Idempotency_Key": key}
        told = await self._mail.send(path, body, named)
        if told.status == 200:
            await self._forge(path, body, named)
        return told

    async def _forge(self, path: str, body: Any, named: dict[str, str]) -> None:
        """Send another request under the same key, and the same request under an old revision."""
        if self._chance.random() < 0.5:
            return
        other = {**named, "Idempotency_Key": f"{named['Idempotency_Key']}-late"}
        stale = await self._mail.send(path, body, other)
        assert (412, "REVISION_CONFLICT") == (stale.status, stale.body["code"]), stale
        if path.endswith("/steps"):
            self.refused += 1
            return
        changed = _change_body(body)
        forged = await self._mail.send(path, changed, named)
        assert (422, "IDEMPOTENCY_CONFLICT") == (forged.status, forged.body["code"]), forged
        self.refused += 2


def _change_body(body: dict[str, Any]) -> dict[str, Any]:
    """A body of the same shape that asks for something else."""
    if "text" in body:
        return {"text": "something else"}
    if "index" in body:
        return {"index": body["index"] + 1}
    if "steps" in body:
        return {"steps": body["steps"] + 1}
    return {"event_name": "stop"}


def _repeat_requests(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_repeat_requests_at(make_project(folder), chance))


async def _repeat_requests_at(folder: Path, chance: Random) -> TrialTally:
    with ExitStack() as servers:
        count = chance.randint(1, 2)
        open_ = [servers.enter_context(ServeProcess(folder)) for _ in range(count)]
        ports = [server.port for server in open_]
        mail = UnreliableMail(ports, chance)
        made = [
            CrowdPlayer(CrowdConnection(*ports), "w", DOOR),
            CrowdPlayer(CrowdConnection(*ports), "s", ISLAND),
        ]
        hurried = [
            _HurriedPlayer(each, mail, chance)
            for each in (*made, EvidenceSender(CrowdConnection(*ports), "g"))
        ]
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(each.play() for each in hurried))
            await mail.wait_for_arrivals()
        players = [each.player for each in hurried]
        found = [await check_all_kept(players, port) for port in ports]
        await check_no_others(players, ports[0])
    refused = sum(each.refused for each in hurried)
    return TrialTally(harmed=mail.carried, acknowledged=found[0], refused=refused)


def _race_rivals(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_race_rivals_at(make_project(folder), chance))


async def _race_rivals_at(folder: Path, chance: Random) -> TrialTally:
    """Several clients have all seen the same revision; each time, one of them succeeds."""
    with ExitStack() as servers:
        open_ = [servers.enter_context(ServeProcess(folder)) for _ in range(2)]
        ports = [server.port for server in open_]
        run = (await ask(ports[0], "POST", "/runs", DOOR)).body["run"]
        gate = await ask(ports[0], "POST", "/gate/runs", {"process_id": "rounds"})
        heard, brought, late = list[str](), list[str](), 0
        for number in range(_TURNS):
            many = chance.randint(2, 5)
            words = [f"say {number} {rival}" for rival in range(many)]
            at = f"/runs/{run}/words"
            bodies: list[Any] = [{"text": each} for each in words]
            won = await _race_once(ports, at, number, bodies, chance)
            heard.append(words[won])
            sent = [_go(each) for each in words]
            at = f"/gate/runs/{gate.body['run_id']}/events"
            won = await _race_once(ports, at, number + 1, sent, chance)
            brought.append(words[won])
            late += 2 * (many - 1)
        await _assert_turns(ports, run, heard)
        await _assert_evidence(ports, gate.body["run_id"], brought)
    return TrialTally(harmed=late, acknowledged=2 * _TURNS, refused=late)


def _go(note: str) -> dict[str, Any]:
    return {"event_name": "go", "artifacts": [{"type": "note", "content": note}]}


async def _race_once(
    ports: list[int], path: str, revision: int, bodies: list[Any], chance: Random
) -> int:
    """The number of the one request that succeeds; all others must get REVISION_CONFLICT."""

    async def send_one(number: int) -> CrowdAnswer:
        named = {"If_Match": f'"{revision}"', "Idempotency_Key": f"{revision}-{number}"}
        await asyncio.sleep(chance.uniform(0, 0.01))
        return await ask(chance.choice(ports), "POST", path, bodies[number], **named)

    answers = await asyncio.gather(*(send_one(number) for number in range(len(bodies))))
    won = [n for n, each in enumerate(answers) if each.status == 200]
    late = [(e.status, e.body.get("code")) for e in answers if e.status != 200]
    assert 1 == len(won), answers
    assert {(412, "REVISION_CONFLICT")} >= set(late), answers
    return won[0]


async def _assert_turns(ports: list[int], run: str, heard: list[str]) -> None:
    for port in ports:
        turns = await list_items(port, f"/runs/{run}/turns", {})
        assert heard == [each["words"] for each in reversed(turns)], (heard, turns)
        replay = await ask(port, "POST", f"/runs/{run}/replay")
        assert replay.body["firstDifference"] is None, replay


async def _assert_evidence(ports: list[int], run: str, notes: list[str]) -> None:
    for port in ports:
        events = await list_items(port, f"/gate/runs/{run}/events", {})
        hashes = [each["evidence"][0]["hash"] for each in events[1:]]
        assert [sha256(each.encode()).hexdigest() for each in notes] == hashes


ORDEALS = (
    Ordeal(
        name="requests-repeated",
        tried="Each request reaches one or two servers several times at once, late and out of "
        "order; answers get lost, and other requests use its key or an old revision.",
        promised="It is done once and every copy gets the first answer, or 503 while "
        "another server is processing it; another request under its key gets 422, one "
        "with an old revision 412, and neither does anything.",
        trial=_repeat_requests,
    ),
    Ordeal(
        name="requests-rivalling",
        tried="Several clients at the same revision send different requests to two servers "
        "at once, for a world and for a gate.",
        promised="One of them is accepted, every other one gets 412, and both servers show the "
        "same story in the same order.",
        trial=_race_rivals,
    ),
)
