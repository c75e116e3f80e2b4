"""The pieces of work that are counted, each the same in every process.

A piece prepares itself in an empty folder and gives what is done again and again. What it
needs is imported in there, so that a child pays for nothing but its own piece.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

Again = Callable[[], object]
"""Does the work once more."""


class Work(NamedTuple):
    """A piece of work."""

    begin: Callable[[Path], Again]
    """Prepares it in an empty folder."""
    times: int
    """How often it is done to be counted."""


def _judge(_: Path) -> Again:
    from benchmarks.decide import judged, strict
    from benchmarks.worlds import grown

    walk, book = grown(60, 70), strict()
    return lambda: judged(walk, book)


def _play(_: Path) -> Again:
    from benchmarks.decide import played, strict
    from benchmarks.worlds import grown

    walk, book = grown(60, 70), strict()
    return lambda: played(walk, book)


def _admissible(_: Path) -> Again:
    from benchmarks.decide import strict
    from benchmarks.worlds import PLAYER, grown
    from saniwa.rulebook.judge import find_admissible_actions

    world, book = grown(60, 1).world, strict()
    return lambda: list(find_admissible_actions(world, PLAYER, book))


def _snapshot(_: Path) -> Again:
    from benchmarks.worlds import grown
    from saniwa.world.snapshot import restore_world, take_snapshot

    world = grown(60, 1).world
    return lambda: restore_world(take_snapshot(world))


def _speak(_: Path) -> Again:
    from benchmarks.keep import GARDEN, SAID
    from saniwa.rulebook.loader import resolve_layers
    from saniwa.runs.start import open_run
    from saniwa.scenario.loader import load_scenario
    from saniwa.store.memory_run_store import MemoryRunStore

    run = open_run(load_scenario(GARDEN), resolve_layers(), MemoryRunStore())

    async def said() -> None:
        for words in SAID:
            await run.say(words)

    return lambda: asyncio.run(said())


def _kept(folder: Path) -> tuple[Any, Any, str]:
    from benchmarks.keep import GARDEN, SAID
    from saniwa.rulebook.loader import resolve_layers
    from saniwa.runs.start import open_run
    from saniwa.scenario.loader import load_scenario
    from saniwa.store.sqlite_run_store import SqliteRunStore

    store = SqliteRunStore(folder / "runs.db")
    run = open_run(load_scenario(GARDEN), resolve_layers(), store)

    async def said() -> None:
        for _ in range(10):
            for words in SAID:
                await run.say(words)

    asyncio.run(said())
    return store, run, run.id


def _keep(folder: Path) -> Again:
    import msgspec

    store, run, _ = _kept(folder)
    turn = list(run.read_turns())[-1]
    numbers = count(turn.number + 1)

    def keep() -> None:
        number = next(numbers)
        appending = store.append(run.id, msgspec.structs.replace(turn, number=number))
        # Without other tasks, there is nothing to wait for but the disk.
        with suppress(StopIteration):
            appending.send(None)

    return keep


def _resume(folder: Path) -> Again:
    from saniwa.runs.start import resume_run

    store, _, run_id = _kept(folder)
    return lambda: resume_run(run_id, store)


def _check(folder: Path) -> Again:
    from benchmarks.stories import ring
    from saniwa.story.story import read_story

    place = folder / "ring.md"
    place.write_text(ring(500).markdown, encoding="utf-8")
    return lambda: read_story(str(place))


def _player(folder: Path) -> Any:
    from benchmarks.stories import DENSE, ring
    from saniwa.story.player import Player
    from saniwa.story.story import read_story

    place = folder / "ring.md"
    place.write_text(ring(500, DENSE).markdown, encoding="utf-8")
    return Player(read_story(str(place)).program)


def _tell(folder: Path) -> Again:
    return _telling(_player(folder))


def _telling(player: Any) -> Again:
    from saniwa.story.step_result import Next

    turns = count()

    def tell() -> None:
        for _ in range(500):
            shown = player.step()
            if shown.next is Next.WAIT_BRANCH:
                choices = shown.directives[-1].args.choices
                player.choose(next(turns) * 7 % len(choices))

    return tell


def _save(folder: Path) -> Again:
    from saniwa.story.saves import read_save, restore_player, save_player

    player = _player(folder)
    _telling(player)()
    return lambda: restore_player(player, read_save(save_player(player).to_json()))


def _gate(folder: Path) -> Again:
    from benchmarks.gate_door import Door

    door, revisions = Door(folder), count(1)
    run_id = door.begun()

    def move() -> None:
        now = next(revisions)
        told = door.move(run_id, now, f"key-{now}")
        assert told["success"], f"refused: {told}"

    return move


def _ask_again(folder: Path) -> Again:
    from benchmarks.gate_door import Door

    door = Door(folder)
    run_id = door.begun()
    for now in range(1, 200):
        door.move(run_id, now, f"key-{now}")

    def ask() -> None:
        told = door.move(run_id, 100, "key-100")
        assert told["success"], f"refused: {told}"

    return ask


def _evening(folder: Path) -> Again:
    from benchmarks.table_turns import Evening
    from saniwa.app.cast import CHARACTER

    gathering = Evening(folder).company.game

    async def both() -> None:
        for _ in range(2):
            await gathering.play_next()

    async def begun() -> None:
        await gathering.seat_agents({"mara": CHARACTER, "ito": CHARACTER})
        # After so many turns they have much to remember.
        for _ in range(20):
            await both()

    asyncio.run(begun())
    return lambda: asyncio.run(both())


def _iterate(folder: Path) -> Again:
    from benchmarks.agent_turns import Keeper, canned

    keeper = Keeper(folder)

    async def turns() -> None:
        agent = await keeper.started(canned())
        for _ in range(10):
            await agent.take_turn()

    return lambda: asyncio.run(turns())


def _cells(folder: Path) -> Again:
    from benchmarks.experiment import alone, planned

    plan, places = planned(seeds=5, max_turns=1, conditions=["B"]), count()
    return lambda: alone(plan, folder / f"cells-{next(places)}")


def _request(folder: Path) -> Again:
    from saniwa.app.workspace import Workspace, WorkspacePlaces
    from saniwa.core.clock import FixedClock
    from saniwa.core.ids import CountingIds
    from saniwa.http.operations import make_app

    places = WorkspacePlaces(
        store="memory:",
        stories=str(folder / "stories"),
        scenarios=str(folder / "scenarios"),
        gate=str(folder / "gate"),
        results=str(folder / "results"),
    )
    garden = Workspace(places, clock=FixedClock(1_800_000_000_000), ids=CountingIds())
    app = make_app(garden)

    def asked(path: str, body: Any, revision: int) -> dict[str, Any]:
        headers = [(b"host", b"localhost"), (b"if-match", f'"{revision}"'.encode())]
        content = json.dumps(body).encode()
        headers += [(b"content-type", b"application/json")]
        headers += [(b"content-length", str(len(content)).encode())]
        return asyncio.run(_asked(app, path, headers, content))

    moment = asked("/api/v1/runs", {"scenario": "door_and_key"}, 0)
    way, at = f"/api/v1/runs/{moment['run']}/words", [moment["revision"]]

    def say() -> None:
        told = asked(way, {"text": "look"}, at[0])
        at[0] = told["revision"]

    return say


async def _asked(
    app: Any, path: str, headers: list[tuple[bytes, bytes]], content: bytes
) -> dict[str, Any]:
    """What an app answers to one request, without a network."""
    said, asks = list[bytes](), iter([{"type": "http.request", "body": content}])

    async def receive() -> dict[str, Any]:
        return next(asks, None) or await asyncio.Future()

    async def send(message: dict[str, Any]) -> None:
        said.append(message.get("body", b""))

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, send)
    answer: dict[str, Any] = json.loads(b"".join(said))
    return answer


WORKS: dict[str, Work] = {
    "judge and apply 70 actions": Work(_judge, 4),
    "play 70 actions as turns": Work(_play, 2),
    "list all admissible actions": Work(_admissible, 10),
    "snapshot a world and restore it": Work(_snapshot, 5),
    "speak four turns": Work(_speak, 5),
    "keep a turn in SQLite": Work(_keep, 30),
    "resume a run of 40 turns": Work(_resume, 3),
    "read and check a story of 500 lines": Work(_check, 1),
    "tell 500 lines with many choices": Work(_tell, 3),
    "save and restore a story": Work(_save, 10),
    "keep an event at the gate": Work(_gate, 30),
    "an event of long ago asked again": Work(_ask_again, 300),
    "two characters take a turn each": Work(_evening, 3),
    "ten iterations of an agent": Work(_iterate, 3),
    "five cells of one call": Work(_cells, 1),
    "a turn over HTTP, without the network": Work(_request, 5),
}
"""Every piece of work, by its name."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "saniwa --help": ("--help",),
    "saniwa gate --help": ("gate", "--help"),
    "saniwa check --help": ("check", "--help"),
}
"""Commands that are counted whole, from the start of Python."""
