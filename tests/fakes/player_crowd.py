"""Many players at once, each on a separate connection, using sockets only.

They play as people do: a move, then a short pause. A lost connection is opened again and
the same request is sent again under its key; the result must be the same.
"""

import asyncio
import json
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

WALK: Final = (
    "look around",
    "examine the iron gate",
    "open the iron gate",
    "go west",
    "take the currant bun",
    "eat the currant bun",
    "go east",
    "go east",
    "open the oak chest",
    "take the brass key",
    "go west",
)
"""A walk through door and key that does not end the scenario."""
DOOR: Final = {"scenario": "door_and_key"}
ISLAND: Final = {"story": "lantern-island"}


@dataclass
class CrowdAnswer:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: Any
    seconds: float


class CrowdConnection:
    """One connection, opened again whenever it breaks."""

    def __init__(self, *ports: int) -> None:
        """Connect to one server, or to several in turn."""
        self._ports, self._turn = ports, 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    @property
    def port(self) -> int:
        """The port that the next request goes to."""
        return self._ports[self._turn % len(self._ports)]

    async def switch_server(self) -> None:
        """Switch to the next server."""
        await self.close()
        self._turn += 1

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> CrowdAnswer:
        """Send one request.

        Raises:
            OSError, asyncio.IncompleteReadError: The connection broke.
        """
        began = time.perf_counter()
        reader = await self.send_request(method, path, body, **headers)
        status, named, content = await _read_answer(reader)
        told = json.loads(content) if content else None
        return CrowdAnswer(status, named, told, time.perf_counter() - began)

    async def send_request(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> asyncio.StreamReader:
        """Send a request, and return the reader of its answer.

        Raises:
            OSError: The connection broke.
        """
        reader, writer = await self._open_streams()
        writer.write(_encode_request(self.port, method, path, body, headers))
        await writer.drain()
        return reader

    async def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            _, writer = self._streams
            self._streams = None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _open_streams(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        return self._streams


async def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> CrowdAnswer:
    """Send a server one request, on a separate connection."""
    wire = CrowdConnection(port)
    try:
        return await wire.ask(method, path, body, **headers)
    finally:
        await wire.close()


def _encode_request(port: int, method: str, path: str, body: Any, headers: dict[str, str]) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} /api/v1{path} HTTP/1.1", f"Host: localhost:{port}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body is not None:
        lines.append("Content-Type: application/json")
    lines.append(f"Content-Length: {len(content)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + content


async def _read_answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = (line.split(": ", 1) for line in head[1:] if line)
    named = {name.lower(): value for name, value in pairs}
    content = await reader.readexactly(int(named.get("content-length", "0")))
    return int(head[0].split()[1]), named, content


@dataclass
class CrowdPlayer:
    """A player of one run."""

    wire: CrowdConnection
    name: str
    what: dict[str, str]
    patience: float = 120.0
    """Seconds to keep trying while no server answers."""
    run: str = ""
    revision: int = 0
    acknowledged: int = 0
    """How many changes were answered."""
    seconds: list[float] = field(default_factory=list)
    """How long each turn took."""
    moment: dict[str, Any] = field(default_factory=dict)
    """The last state of its run."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers of every request, such as those that identify the caller."""
    again: Callable[[CrowdAnswer], bool] = lambda _: False
    """Whether to send the same request again after this answer."""
    _keys: Any = field(default_factory=count)

    async def begin(self) -> None:
        """Start a run."""
        told = await self.ask_until_answered("/runs", self.what)
        assert told.status == 201, told
        self._take_moment(told.body)

    async def turn(self) -> None:
        """Make a move of the kind that is awaited."""
        waiting = self.moment["waiting"]
        if waiting == "end":
            await self._go("back", {"steps": 1})
        elif waiting == "step":
            await self._go("steps")
        elif waiting == "words":
            await self._go("words", {"text": WALK[self.acknowledged % len(WALK)]})
        else:
            await self._go("choices", {"index": self._choose_option()})

    async def ask_until_answered(self, path: str, body: Any = None) -> CrowdAnswer:
        """Send a request under one key until a server answers."""
        key, until = f"{self.name}-{next(self._keys)}", time.monotonic() + self.patience
        named = {"If_Match": f'"{self.revision}"', "Idempotency_Key": key}
        while True:
            late = time.monotonic() > until
            try:
                told = await self.wire.ask("POST", path, body, **named, **self.headers)
                if late or not self.again(told):
                    return told
            except (OSError, EOFError):
                await self.wire.close()
                if late:
                    raise
            await asyncio.sleep(0.05)

    async def _go(self, what: str, body: Any = None) -> None:
        told = await self.ask_until_answered(f"/runs/{self.run}/{what}", body)
        assert told.status == 200, told
        assert told.body["revision"] == self.revision + 1, told
        self.seconds.append(told.seconds)
        self.acknowledged += 1
        self._take_moment(told.body)

    def _choose_option(self) -> int:
        offered = [
            each["args"] for each in self.moment["step"]["directives"] if each["type"] == "Branch"
        ]
        options = offered[0].get("options") or [{"enabled": True}]
        able = [n for n, option in enumerate(options) if option["enabled"]]
        return able[self.acknowledged % len(able)]

    def _take_moment(self, moment: dict[str, Any]) -> None:
        self.moment, self.run = moment, moment["run"]
        self.revision = moment["revision"]


async def play(
    players: Sequence[CrowdPlayer], turns: int, rest: float, *, hop: bool = False
) -> None:
    """Every player starts a run and takes that many turns with a pause before each."""

    async def play_one(player: CrowdPlayer, number: int) -> None:
        # People do not all press Enter at the same moment.
        await asyncio.sleep(rest * number / len(players))
        if not player.run:
            await player.begin()
        for _ in range(turns):
            await asyncio.sleep(rest)
            if hop:
                await player.wire.switch_server()
            await player.turn()

    try:
        await asyncio.gather(*(play_one(each, n) for n, each in enumerate(players)))
    finally:
        for each in players:
            await each.wire.close()


def make_crowd(size: int, *ports: int, mark: str = "p") -> list[CrowdPlayer]:
    """That many players; every fourth reads a story, the others play by words."""
    return [
        CrowdPlayer(CrowdConnection(*ports), f"{mark}{number}", ISLAND if number % 4 == 3 else DOOR)
        for number in range(size)
    ]


def vanish(port: int, sent: bytes) -> None:
    """Send some bytes, and reset the connection."""
    gone = socket.create_connection(("127.0.0.1", port))
    # Closing with a linger time of zero resets the connection.
    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    gone.sendall(sent)
    gone.close()


def find_percentile(seconds: Sequence[float], part: float) -> float:
    """The time within which that part of all requests was answered, in milliseconds."""
    ordered = sorted(seconds)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000
