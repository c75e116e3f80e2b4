"""The pieces of work that are counted, each the same in every process.

Each is prepared in an empty folder and returns a function that is called repeatedly. Imports
are inside the preparation, so that a child process imports only what its own work needs.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

Again = Callable[[], object]
"""Repeats the work once."""


class CountedWork(NamedTuple):
    """A piece of work."""

    begin: Callable[[Path], Again]
    """Prepares the work in an empty folder."""
    times: int
    """How often the work is repeated for one count."""


def _prepare_judging(_: Path) -> Again:
    from benchmarks.decide import build_strict_rulebook, judge_walk
    from benchmarks.worlds import grow_walk

    walk, book = grow_walk(60, 70), build_strict_rulebook()
    return lambda: judge_walk(walk, book)


def _prepare_playing(_: Path) -> Again:
    from benchmarks.decide import build_strict_rulebook, play_walk
    from benchmarks.worlds import grow_walk

    walk, book = grow_walk(60, 70), build_strict_rulebook()
    return lambda: play_walk(walk, book)


def _prepare_admissible(_: Path) -> Again:
    from benchmarks.decide import build_strict_rulebook
    from benchmarks.worlds import PLAYER, grow_walk
    from saniwa.rulebook.judge import find_admissible_actions

    world, book = grow_walk(60, 1).world, build_strict_rulebook()
    return lambda: list(find_admissible_actions(world, PLAYER, book))


def _prepare_snapshot(_: Path) -> Again:
    from benchmarks.worlds import grow_walk
    from saniwa.world.snapshot import restore_world, take_snapshot

    world = grow_walk(60, 1).world
    return lambda: restore_world(take_snapshot(world))


def _speak(_: Path) -> Again:
    from benchmarks.keep import GARDEN, SAID
    from saniwa.rulebook.loader import resolve_layers
    from saniwa.runs.run_factory import open_run
    from saniwa.scenario.loader import load_scenario
    from saniwa.store.memory_run_store import MemoryRunStore

    run = open_run(load_scenario(GARDEN), resolve_layers(), MemoryRunStore())

    async def speak_all() -> None:
        for words in SAID:
            await run.say(words)

    return lambda: asyncio.run(speak_all())


def _make_spoken_run(folder: Path) -> tuple[Any, Any, str]:
    from benchmarks.keep import GARDEN, SAID
    from saniwa.rulebook.loader import resolve_layers
    from saniwa.runs.run_factory import open_run
    from saniwa.scenario.loader import load_scenario
    from saniwa.store.sqlite_runs_and_plays import SqliteRunStore

    store = SqliteRunStore(folder / "runs.db")
    run = open_run(load_scenario(GARDEN), resolve_layers(), store)

    async def speak_all() -> None:
        for _ in range(10):
            for words in SAID:
                await run.say(words)

    asyncio.run(speak_all())
    return store, run, run.id


def _prepare_keeping(folder: Path) -> Again:
    import msgspec

    store, run, _ = _make_spoken_run(folder)
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
    from saniwa.runs.run_factory import resume_run

    store, _, run_id = _make_spoken_run(folder)
    return lambda: resume_run(run_id, store)


def _prepare_checking(folder: Path) -> Again:
    from benchmarks.stories import make_ring
    from saniwa.story.story import read_story

    place = folder / "ring.md"
    place.write_text(make_ring(500).markdown, encoding="utf-8")
    return lambda: read_story(str(place))


def _make_player(folder: Path) -> Any:
    from benchmarks.stories import DENSE, make_ring
    from saniwa.story.player import Player
    from saniwa.story.story import read_story

    place = folder / "ring.md"
    place.write_text(make_ring(500, DENSE).markdown, encoding="utf-8")
    return Player(read_story(str(place)).program)


def _prepare_player_telling(folder: Path) -> Again:
    return _prepare_telling(_make_player(folder))


def _prepare_telling(player: Any) -> Again:
    from saniwa.story.step_result import Next

    turns = count()

    def tell() -> None:
        for _ in range(500):
            shown = player.step()
            if shown.next is Next.WAIT_BRANCH:
                choices = shown.directives[-1].args.choices
                player.choose(next(turns) * 7 % len(choices))

    return tell


def _prepare_saving(folder: Path) -> Again:
    from saniwa.story.saves import read_save, restore_player, save_player

    player = _make_player(folder)
    _prepare_telling(player)()
    return lambda: restore_player(player, read_save(save_player(player).to_json()))


def _prepare_gate(folder: Path) -> Again:
    from benchmarks.gate_door import GateDoor

    door, revisions = GateDoor(folder), count(1)
    run_id = door.begin_run()

    def move() -> None:
        now = next(revisions)
        told = door.move(run_id, now, f"key-{now}")
        assert told["success"], f"refused: {told}"

    return move


def _ask_again(folder: Path) -> Again:
    from benchmarks.gate_door import GateDoor

    door = GateDoor(folder)
    run_id = door.begin_run()
    for now in range(1, 200):
        door.move(run_id, now, f"key-{now}")

    def ask() -> None:
        told = door.move(run_id, 100, "key-100")
        assert told["success"], f"refused: {told}"

    return ask


def _prepare_table(folder: Path) -> Again:
    from benchmarks.table_turns import TableRun
    from saniwa.app.agent_cast import CHARACTER

    gathering = TableRun(folder).company.game

    async def play_both() -> None:
        for _ in range(2):
            await gathering.play_next()

    async def begin_table() -> None:
        await gathering.seat_agents({"mara": CHARACTER, "ito": CHARACTER})
        # After so many turns they have much to remember.
        for _ in range(20):
            await play_both()

    asyncio.run(begin_table())
    return lambda: asyncio.run(play_both())


def _iterate(folder: Path) -> Again:
    from benchmarks.agent_turns import KeeperAgents, make_canned_oracle

    keeper = KeeperAgents(folder)

    async def take_turns() -> None:
        agent = await keeper.start_agent(make_canned_oracle())
        for _ in range(10):
            await agent.take_turn()

    return lambda: asyncio.run(take_turns())


def _prepare_cells(folder: Path) -> Again:
    from benchmarks.experiment import make_prepared_plan, run_in_process

    plan, places = make_prepared_plan(seeds=5, max_turns=1, conditions=["B"]), count()
    return lambda: run_in_process(plan, folder / f"cells-{next(places)}")


def _prepare_request(folder: Path) -> Again:
    from saniwa.app.workspace import Workspace, WorkspacePlaces
    from saniwa.core.clock import FixedClock
    from saniwa.core.ids import CountingIds
    from saniwa.http.application import make_app

    places = WorkspacePlaces(
        store="memory:",
        stories=str(folder / "stories"),
        scenarios=str(folder / "scenarios"),
        gate=str(folder / "gate"),
        results=str(folder / "results"),
    )
    garden = Workspace(places, clock=FixedClock(1_800_000_000_000), ids=CountingIds())
    app = make_app(garden)

    def ask_path(path: str, body: Any, revision: int) -> dict[str, Any]:
        headers = [(b"host", b"localhost"), (b"if-match", f'"{revision}"'.encode())]
        content = json.dumps(body).encode()
        headers += [(b"content-type", b"application/json")]
        headers += [(b"content-length", str(len(content)).encode())]
        return asyncio.run(_ask_app(app, path, headers, content))

    moment = ask_path("/api/v1/runs", {"scenario": "door_and_key"}, 0)
    way, at = f"/api/v1/runs/{moment['run']}/words", [moment["revision"]]

    def say() -> None:
        told = ask_path(way, {"text": "look"}, at[0])
        at[0] = told["revision"]

    return say


async def _ask_app(
    app: Any, path: str, headers: list[tuple[bytes, bytes]], content: bytes
) -> dict[str, Any]:
    """Return the app's answer to one request, without a network."""
    said = list[bytes]()
    asks: list[dict[str, Any]] = [{"type": "http.request", "body": content}]

    async def receive() -> dict[str, Any]:
        return asks.pop() if asks else await asyncio.Future()

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


WORKS: dict[str, CountedWork] = {
    "judge and apply 70 actions": CountedWork(_prepare_judging, 4),
    "play 70 actions as turns": CountedWork(_prepare_playing, 2),
    "list all admissible actions": CountedWork(_prepare_admissible, 10),
    "snapshot a world and restore it": CountedWork(_prepare_snapshot, 5),
    "speak four turns": CountedWork(_speak, 5),
    "keep a turn in SQLite": CountedWork(_prepare_keeping, 30),
    "resume a run of 40 turns": CountedWork(_resume, 3),
    "read and check a story of 500 lines": CountedWork(_prepare_checking, 1),
    "tell 500 lines with many choices": CountedWork(_prepare_player_telling, 3),
    "save and restore a story": CountedWork(_prepare_saving, 10),
    "keep an event at the gate": CountedWork(_prepare_gate, 30),
    "an event of long ago asked again": CountedWork(_ask_again, 300),
    "two characters take a turn each": CountedWork(_prepare_table, 3),
    "ten iterations of an agent": CountedWork(_iterate, 3),
    "five cells of one call": CountedWork(_prepare_cells, 1),
    "a turn over HTTP, without the network": CountedWork(_prepare_request, 5),
}
"""Every piece of work, by its name."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "saniwa --help": ("--help",),
    "saniwa gate --help": ("gate", "--help"),
    "saniwa check --help": ("check", "--help"),
}
"""Commands that are counted whole, from the start of Python."""
