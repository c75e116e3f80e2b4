"""People before a server: some play worlds, some read stories, some bring evidence.

Each knows what it was told. Afterwards the server is asked for all of it again: everything
acknowledged must be there, once, in its order, and nothing else.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from saniwa.store.gate.people import People
from tests.fakes.player_crowd import (
    DOOR,
    ISLAND,
    WALK,
    CrowdAnswer,
    CrowdConnection,
    CrowdPlayer,
    ask,
)

SECRET: Final = "four plain words here"
"""What everybody signs in with."""
NAMES: Final = ("ann", "ben", "cho")
"""Who may come; the gate's people."""
PATIENCE: Final = 120.0
"""Seconds anybody goes on trying."""

_ROUNDS: Final = """\
process_id: rounds
version: "1"
name: Round and round
states: [here, there, {name: over, is_final: true}]
artifacts: [{type: note}]
events:
  - {name: go, allowed_roles: "*"}
  - {name: stop, allowed_roles: "*"}
transitions:
  - {from: here, event: go, to: there}
  - {from: there, event: go, to: here}
  - {from: here, event: stop, to: over}
"""


@dataclass
class EvidenceSender(CrowdPlayer):
    """Somebody who brings a note to the gate, round after round."""

    what: dict[str, str] = field(default_factory=lambda: {"process_id": "rounds"})

    async def begin(self) -> None:
        """Begin a run of the process."""
        told = await self.ask_until_answered("/gate/runs", self.what)
        assert told.status == 201, told
        self.run, self.revision = told.body["run_id"], 1

    async def turn(self) -> None:
        """Send an event with its evidence."""
        note = {"type": "note", "content": self.note(self.acknowledged)}
        sent = {"event_name": "go", "artifacts": [note]}
        told = await self.ask_until_answered(f"/gate/runs/{self.run}/events", sent)
        assert told.status == 200, told
        assert told.body["result"]["new_revision"] == self.revision + 1, told
        self.acknowledged += 1
        self.revision += 1

    def note(self, number: int) -> str:
        """What its evidence says."""
        return f"{self.name} brings note {number}"


def make_project(folder: Path) -> Path:
    """A project's folder with a process and the people who may come."""
    processes = folder / ".state_gate" / "processes"
    processes.mkdir(parents=True)
    (processes / "rounds.yaml").write_text(_ROUNDS)
    people = People(folder / ".state_gate" / "people.json")
    by = None
    for name in NAMES:
        people.add(name, "human", SECRET, at="2026-01-01T00:00:00Z", by=by)
        by = f"{NAMES[0]}:{SECRET}"
    return folder


def may_pass(told: CrowdAnswer) -> bool:
    """Whether the same request is to be sent once more."""
    return told.status in (429, 503)


def make_visitors(size: int, *ports: int, signed_in: bool = False) -> list[CrowdPlayer]:
    """So many, of each kind in turn: by words, at the gate, through a story."""
    made = list[CrowdPlayer]()
    for number in range(size):
        kind, name = number % 3, f"v{number}"
        who = {"Authorization": f"Bearer {NAMES[number % len(NAMES)]}:{SECRET}"}
        player = (
            EvidenceSender(CrowdConnection(*ports), name)
            if kind == 1
            else CrowdPlayer(CrowdConnection(*ports), name, ISLAND if kind == 2 else DOOR)
        )
        player.patience, player.again = PATIENCE, may_pass
        player.headers = who if signed_in else {}
        made.append(player)
    return made


async def wait_for_changes(
    players: Sequence[CrowdPlayer], count: int, playing: asyncio.Task[None]
) -> None:
    """Come back when so many changes were acknowledged, or nobody plays any more."""
    while sum(each.acknowledged for each in players) < count and not playing.done():
        await asyncio.sleep(0.005)


async def check_all_kept(players: Sequence[CrowdPlayer], port: int) -> int:
    """See that the server tells what each was told; how many changes that are.

    Raises:
        AssertionError: Something acknowledged is gone, is there twice, or differs.
    """
    for each in players:
        if isinstance(each, EvidenceSender):
            await _check_gate_kept(each, port)
        else:
            await _run_there(each, port)
    return sum(each.acknowledged for each in players)


async def check_no_others(players: Sequence[CrowdPlayer], port: int) -> None:
    """See that exactly the runs these players began are there.

    Raises:
        AssertionError: A run is there that nobody was told of.
    """
    asking = {**players[0].headers}
    for path, name, sends in (("/runs", "id", False), ("/gate/runs", "run_id", True)):
        listed = await list_items(port, path, asking)
        begun = {each.run for each in players if isinstance(each, EvidenceSender) == sends}
        assert begun == {line[name] for line in listed}, (path, begun, listed)


async def _run_there(player: CrowdPlayer, port: int) -> None:
    at, asking = f"/runs/{player.run}", player.headers
    told = await ask(port, "GET", f"{at}/moment", **asking)
    assert _take_shown(player.moment) == _take_shown(told.body), (player, told)
    if player.what is not DOOR:
        return
    turns = await list_items(port, f"{at}/turns", asking)
    words = [each["words"] for each in reversed(turns)]
    meant = [WALK[number % len(WALK)] for number in range(player.acknowledged)]
    assert meant == words, (player, words)
    replay = await ask(port, "POST", f"{at}/replay", **asking)
    assert replay.body["firstDifference"] is None, replay
    assert player.acknowledged == replay.body["turnsChecked"], replay


async def _check_gate_kept(player: EvidenceSender, port: int) -> None:
    at, asking = f"/gate/runs/{player.run}", player.headers
    kept = await list_items(port, f"{at}/events", asking)
    # Beside events there may be notes: of a torn line that was mended.
    happened = [each for each in kept if each["kind"] == "event"]
    revisions = [each["revision"] for each in happened]
    assert [*range(1, player.revision + 1)] == revisions, kept
    brought = [each["evidence"][0]["hash"] for each in happened[1:]]
    meant = [player.note(number) for number in range(player.acknowledged)]
    assert [sha256(each.encode()).hexdigest() for each in meant] == brought, player
    verified = await ask(port, "POST", f"{at}/verify", **asking)
    assert verified.body["passed"], verified


def _take_shown(moment: dict[str, Any]) -> Any:
    """What a host shows; the scenery is told only to who comes anew."""
    return {name: moment[name] for name in ("run", "revision", "step", "waiting", "back")}


async def list_items(port: int, path: str, asking: dict[str, str]) -> list[dict[str, Any]]:
    """Every line of a list."""
    found, after = list[dict[str, Any]](), ""
    while True:
        told = await ask(port, "GET", f"{path}?limit=100{after}", **asking)
        assert told.status == 200, told
        found += told.body["items"]
        if told.body["next"] is None:
            return found
        after = f"&after={told.body['next']}"
