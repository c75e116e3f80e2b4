"""Live streams that are cut in the middle of an event, and opened again."""

import asyncio
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.fakes.player_crowd import CrowdConnection, CrowdPlayer, ask, play
from tests.fakes.servers import ServeProcess
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.visitors import (
    PATIENCE,
    EvidenceSender,
    check_all_kept,
    make_project,
    make_visitors,
)

_TURNS = 10


class _RunListener:
    """Listens to a run's revisions, over one connection after another."""

    def __init__(self, player: CrowdPlayer, port: int, chance: Random) -> None:
        self._player, self._port, self._chance = player, port, chance
        self.seen = 0
        self.lines = 0

    async def listen(self, until: "asyncio.Task[None]") -> None:
        """Listen until the last revision; no connection reports an older one than before."""
        while not (until.done() and self.seen == self._player.revision):
            cut = self._chance.randint(1, 400) if not until.done() else 1_000_000
            try:
                await self._listen_for(cut)
            except (OSError, EOFError):
                await asyncio.sleep(0.02)

    async def _listen_for(self, most: int) -> None:
        """Read up to `most` bytes, then hang up."""
        wire, heard = CrowdConnection(self._port), b""
        room = "/gate/runs" if isinstance(self._player, EvidenceSender) else "/runs"
        self.lines += 1
        try:
            reader = await wire.send_request("GET", f"{room}/{self._player.run}/live")
            while len(heard) < most and not self._is_last(heard):
                part = await reader.read(min(most - len(heard), 100))
                if not part:
                    raise EOFError
                heard += part
        finally:
            await wire.close()
            self._take(heard)

    def _is_last(self, heard: bytes) -> bool:
        whole = f"data: {self._player.revision}\n\n".encode()
        return self._player.acknowledged == _TURNS and whole in heard

    def _take(self, heard: bytes) -> None:
        """Read the whole events; none is older than the one before."""
        for event in heard.split(b"\n\n")[:-1]:
            for line in event.split(b"\n"):
                if line.startswith(b"id: "):
                    told = int(line.removeprefix(b"id: "))
                    assert told >= self.seen, (told, self.seen)
                    self.seen = told


def _cut_streams(folder: Path, chance: Random) -> TrialTally:
    return asyncio.run(_cut_while_listening(make_project(folder), chance))


async def _cut_while_listening(folder: Path, chance: Random) -> TrialTally:
    with ServeProcess(folder) as server:
        players = make_visitors(3, server.port)
        await play(players, 0, 0.0)
        playing = asyncio.create_task(play(players, _TURNS, 0.03))
        listeners = [_RunListener(each, server.port, chance) for each in players for _ in range(2)]
        async with asyncio.timeout(PATIENCE):
            hearing = asyncio.gather(*(each.listen(playing) for each in listeners))
            if chance.random() < 0.5:
                await asyncio.sleep(chance.uniform(0, 0.3))
                server.kill()
                await asyncio.to_thread(server.restart)
            await playing
            await hearing
        found = await check_all_kept(players, server.port)
        about = await ask(server.port, "GET", "/")
        assert about.status == 200, about
    cuts = sum(each.lines for each in listeners)
    return TrialTally(harmed=cuts, acknowledged=found)


ORDEALS = (
    Ordeal(
        name="stream-cut",
        tried="Live streams are cut in the middle of an event, again and again, while "
        "people play; sometimes the server is killed as well.",
        promised="A client that reconnects receives the current revision, never an older one "
        "than before, and every client receives the last.",
        trial=_cut_streams,
    ),
)
