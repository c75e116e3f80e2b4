"""Clients of a server: some play worlds, some read stories, some submit evidence.

Each remembers its answers. Afterwards everything is read from the server again: each
acknowledged change must be there, once, in order, and nothing else.
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
"""The password of every visitor."""
NAMES: Final = ("ann", "ben", "cho")
"""The names of the visitors, who are people of the gate."""
PATIENCE: Final = 120.0
"""Seconds a visitor keeps trying."""

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
    """A visitor who submits a note to the gate, round after round."""

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
        """The text of its evidence."""
        return f"{self.name} brings note {number}"


def make_project(folder: Path) -> Path:
    """A project's folder with a process and the people who may sign in."""
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
    """Whether the same request may be sent once more."""
    return told.status in (429, 503)


def make_visitors(size: int, *ports: int, signed_in: bool = False) -> list[CrowdPlayer]:
    """`size` visitors, of each kind in turn: a world, a gate, a story."""
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
    """Wait until `count` changes were acknowledged, or all players have finished."""
    while sum(each.acknowledged for each in players) < count and not playing.done():
        await asyncio.sleep(0.005)


async def check_all_kept(players: Sequence[CrowdPlayer], port: int) -> int:
    """Check that the server has everything acknowledged; the number of those changes.

    Raises:
        AssertionError: An acknowledged change is missing, is there twice, or differs.
    """
    for each in players:
        if isinstance(each, EvidenceSender):
            await _check_gate_kept(each, port)
        else:
            await _run_there(each, port)
    return sum(each.acknowledged for each in players)


async def check_no_others(players: Sequence[CrowdPlayer], port: int) -> None:
    """Check that the server has exactly the runs that these players began.

    Raises:
        AssertionError: A run is missing, or none of the players began it.
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
    # The list may also have notes: of a torn line that was repaired.
    happened = [each for each in kept if each["kind"] == "event"]
    revisions = [each["revision"] for each in happened]
    assert [*range(1, player.revision + 1)] == revisions, kept
    brought = [each["evidence"][0]["hash"] for each in happened[1:]]
    meant = [player.note(number) for number in range(player.acknowledged)]
    assert [sha256(each.encode()).hexdigest() for each in meant] == brought, player
    verified = await ask(port, "POST", f"{at}/verify", **asking)
    assert verified.body["passed"], verified


def _take_shown(moment: dict[str, Any]) -> Any:
    """What a host shows, without the scenery, which only a newly joined client gets."""
    return {name: moment[name] for name in ("run", "revision", "step", "waiting", "back")}


async def list_items(port: int, path: str, asking: dict[str, str]) -> list[dict[str, Any]]:
    """Every item of a list."""
    found, after = list[dict[str, Any]](), ""
    while True:
        told = await ask(port, "GET", f"{path}?limit=100{after}", **asking)
        assert told.status == 200, told
        found += told.body["items"]
        if told.body["next"] is None:
            return found
        after = f"&after={told.body['next']}"
