"""No request of any role keeps other visitors waiting.

The tests measure CPU time of the server's event loop and process, not wall-clock time: a
machine that is busy with other things makes no request slow.
"""

import asyncio
import gc
import http.client
import json
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.app.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller
from saniwa.app.operations.operation import Operation
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.clock import SystemClock
from saniwa.core.ids import TimeOrderedIds
from saniwa.http.access_log import FREEZE_SECONDS, TICK_SECONDS, AccessLog, LogLine
from saniwa.http.application import HTTP_OPERATIONS, make_app
from saniwa.http.limits import MAX_PLAIN_BODY
from saniwa.http.request_scope import SCOPE_CALLER
from saniwa.http.router import make_text_body_check
from saniwa.http.server import THREAD_SWITCH_SECONDS
from saniwa.http.server_settings import LOCAL_LIMITS
from saniwa.runs.playing import PlayRequest
from saniwa.runs.playing_record import MoveLog, PlayOrigin
from saniwa.runs.scenario_playing import ScenarioPlaying
from tests.fakes.nightly import choose_cases, sample_cases
from tests.fakes.servers import PATIENCE, ServeProcess
from tests.fakes.workspaces import make_caller
from tests.unit.http.middleware.guarded_requests import limit_body

pytestmark = pytest.mark.slow

ATTEMPTS = 3
THINGS = 3_000
TURNS = 10_000
LARGE = 4_194_304 - 100
WORDS = {
    "many clauses": ("take thing and " * 300)[:600],
    "everything": ("take everything and drop everything and " * 9)[:400],
    "Japanese": ("赤いものを取って" * 600)[:300],
    "quotation marks": ('say "\\' * 900)[:4_000],
    "one word": "x" * 4_000,
}
TEXTS = {
    "commands": '[AA "\\"]' * 12_000,
    "links": "[AA \\]" * 16_000 + "](()",
    "braces": "{if " * 25_000,
    "mapping": "a: [" * 25_000,
    "comments": "<!--" * 25_000,
}
BODIES = {
    "brackets": b"[" * 70 + b'"\\' * (LARGE // 2 - 35),
    "arrays": b"[" + b"[]," * (LARGE // 3 - 1) + b"[]]",
    "names": b'{"' + b"x" * (LARGE - 10) + b'": 1}',
    "small brackets": b"[" * 70 + b'"\\' * ((MAX_PLAIN_BODY - 70) // 2),
    "small arrays": b"[" + b"[]," * (MAX_PLAIN_BODY // 3 - 2) + b"[]]",
}
ASKED: dict[str, dict[str, Any]] = {
    "choose": {"index": 0},
    "say": {"text": "look"},
    "goBack": {"steps": 3},
    "previewWords": {"text": "look"},
    "editRunRulebook": {"text": "{}", "format": "json"},
    "checkRunRulebook": {"text": "{}", "format": "json"},
    "tryRunRulebook": {"text": "{}", "format": "json", "words": "look"},
    "seatAgents": {"agents": ["ana"], "model": "canned:none"},
    "takeSeat": {"who": "ana"},
    "handSeatBack": {"who": "ana"},
}
LINES = 2_000
STORY_OPERATIONS = ("readRun", "takeStep", "goBack", "skip", "readBacklog", "listSaves")
CIRCLES = {
    "numbers": f"[SET m = {' + '.join(['n'] * 450)}]",
    "text": f"[SET m = {' + '.join(['t'] * 9)}]",
    "nothing more": "",
}
ROLES: dict[str, Caller] = {
    "at this machine": LOCAL_CALLER,
    "agent": make_caller("bot", "agent"),
    "person": make_caller("ann", "reviewer"),
    "stranger": ANONYMOUS_CALLER,
}


class ServerVisitors:
    """Visitors with any role at one server, and how long their requests block its event loop."""

    def __init__(self, folder: Path) -> None:
        """Start a server of a world with thousands of things."""
        _write_large_project(folder)
        _set_garbage_aside()
        self.lines = list[LogLine]()
        self.role = LOCAL_CALLER
        app = make_app(_open_workspace_at(folder))
        limited = limit_body(app, LOCAL_LIMITS, make_text_body_check(HTTP_OPERATIONS))
        self._journal = AccessLog(
            self._know(app, limited),
            self.lines.append,
            clock=SystemClock(),
            ids=TimeOrderedIds(),
            seconds=time.monotonic,
        )
        self.client = TestClient(self._journal, base_url="http://localhost")
        self.run = ""
        self.revision = 0

    def _know(self, app: ASGIApp, limited: ASGIApp) -> ASGIApp:
        """An app that treats every visitor as the caller that is set."""

        async def call_as_role(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await app(scope, receive, send)
                return
            scope[SCOPE_CALLER] = self.role
            await limited(scope, receive, send)

        return call_as_role

    def tell(self, method: str, path: str, body: Any) -> Any:
        """Start a run, or continue the last one at its current revision."""
        place = path if path == "/runs" else f"/runs/{self.run}{path}"
        headers = {"if-match": f'"{self.revision}"'}
        told = self.client.request(method, f"/api/v1{place}", json=body, headers=headers).json()
        self.run, self.revision = told["run"], told["revision"]
        return told

    def ask(self, method: str, path: str, **more: Any) -> tuple[int, float]:
        """The status of an answer, and the seconds of CPU during which the loop was blocked.

        Work that blocks the loop blocks it each time it is done. The system may also take the
        loop's thread off its core while another thread works, and that happens only once.
        """
        for _ in range(ATTEMPTS):
            status, held = self.ask_once(method, path, **more)
            if held < FREEZE_SECONDS:
                break
        return status, held

    def ask_once(self, method: str, path: str, **more: Any) -> tuple[int, float]:
        """The same for one answer only: for work that is done at the first request."""
        statuses, held = self.ask_in_turn(method, path, [more])
        return statuses[0], held

    def ask_in_turn(
        self, method: str, path: str, requests: Sequence[dict[str, Any]]
    ) -> tuple[list[int], float]:
        """The statuses of several answers, and the longest time that one blocked the loop."""
        watchdog = self._journal.watchdog
        watchdog.longest_gap = watchdog.longest_hold = 0.0
        watchdog.read_cpu = time.thread_time
        headers = {"if-match": '"0"', "content-type": "application/json"}
        statuses = [
            self.client.request(
                method, f"/api/v1{path}", **{**each, "headers": headers | each.get("headers", {})}
            ).status_code
            for each in requests
        ]
        # The watchdog checks once more, so that it has seen the end of the last request.
        threading.Event().wait(2 * TICK_SECONDS)
        return statuses, max(watchdog.longest_hold, watchdog.longest_gap)


def _set_garbage_aside() -> None:
    gc.collect()
    gc.freeze()


def _write_large_project(folder: Path) -> None:
    world = {
        "name": "big",
        "locations": {"hall": {"name": "Hall", "description": "A hall."}},
        "characters": {"ana": {"location": "hall"}},
        "props": {
            f"thing{n}": {"name": f"red thing {n}", "location": "hall"} for n in range(THINGS)
        },
    }
    place = folder / "scenarios"
    place.mkdir(exist_ok=True)
    (place / "big.json").write_text(json.dumps(world), encoding="utf-8")
    small = {**world, "name": "small", "props": {}}
    (place / "small.json").write_text(json.dumps(small), encoding="utf-8")
    entries = "".join(
        f"  - {{scenario_id: {name}, path: {name}.json}}\n" for name in ("big", "small")
    )
    (place / "registry.yaml").write_text(f"scenarios:\n{entries}", encoding="utf-8")


def _open_workspace_at(folder: Path) -> Workspace:
    places = WorkspacePlaces(
        store=str(folder / "store.sqlite"),
        registry=str(folder / "scenarios" / "registry.yaml"),
        stories=str(folder / "stories"),
        scenarios=str(folder / "scenarios"),
        gate=str(folder / "gate"),
        results=str(folder / "results"),
    )
    return Workspace(places, together=True)


@pytest.fixture(autouse=True)
def _set_up_process() -> Iterator[None]:
    """Set up the process as `saniwa serve` does, without the garbage of other tests."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    _set_garbage_aside()
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="module", autouse=True)
def _collect_garbage() -> Iterator[None]:
    """Collect the garbage of the servers after all are closed."""
    yield
    gc.unfreeze()
    _set_garbage_aside()


@pytest.fixture(scope="module")
def visitors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerVisitors]:
    """One server for all tests."""
    here = ServerVisitors(tmp_path_factory.mktemp("big"))
    with here.client:
        begun = here.client.post("/api/v1/runs", json={"scenario": "big"})
        here.run = begun.json()["run"]
        yield here


def _fill_path(operation: Operation, run: str) -> str:
    return re.sub(r"\{\w+(?::\w+)?\}", "x", operation.path.replace("{run}", run))


def test_beginning_in_a_large_world_delays_no_other_request(visitors: ServerVisitors) -> None:
    """Starting a run in a large world does not block the loop."""
    status, held = visitors.ask("POST", "/runs", json={"scenario": "big"})

    assert 201 == status
    assert held < FREEZE_SECONDS


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("path", ["preview", "words"])
def test_words_in_a_large_world_delay_no_other(
    visitors: ServerVisitors, path: str, words: str
) -> None:
    """Understanding and judging words in a large world does not block the loop."""
    begun = visitors.client.post("/api/v1/runs", json={"scenario": "big"}).json()
    body = {"text": WORDS[words]}
    status, held = visitors.ask("POST", f"/runs/{begun['run']}/{path}", json=body)

    assert 200 == status
    assert held < FREEZE_SECONDS


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("path", ["/check/story", "/check/scenario", "/check/rulebook", "/runs"])
def test_no_text_delays_other_requests(visitors: ServerVisitors, path: str, text: str) -> None:
    """Reading any text does not block the loop."""
    body = {"draft" if path == "/runs" else "text": TEXTS[text]}
    status, held = visitors.ask("POST", path, json=body)

    assert status < 500
    assert held < FREEZE_SECONDS


@pytest.mark.parametrize("role", ROLES)
def test_no_body_delays_other_requests(visitors: ServerVisitors, role: str) -> None:
    """No operation is blocked by a hostile body, whatever the caller's role."""
    visitors.role = ROLES[role]
    slow = dict[str, tuple[list[int], float]]()
    for operation in HTTP_OPERATIONS:
        largest = LARGE if operation.takes_text else MAX_PLAIN_BODY
        bodies = [{"content": body} for body in BODIES.values() if len(body) <= largest]
        path = _fill_path(operation, visitors.run)
        for _ in range(ATTEMPTS if operation.takes else 0):
            statuses, held = visitors.ask_in_turn(operation.method, path, bodies)
            if held < FREEZE_SECONDS and max(statuses) < 500:
                slow.pop(operation.name, None)
                break
            slow[operation.name] = (statuses, held)
    visitors.role = LOCAL_CALLER

    assert {} == slow


def test_no_look_delays_other_requests(visitors: ServerVisitors) -> None:
    """Reading operations do not block the loop in a large world."""
    slow = {}
    for operation in HTTP_OPERATIONS:
        if operation.method == "GET" and not operation.streams:
            status, held = visitors.ask("GET", _fill_path(operation, visitors.run))
            if held >= FREEZE_SECONDS or status >= 500:
                slow[operation.name] = (status, held)

    assert {} == slow


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a stopped server, and its one run with many turns."""
    folder = tmp_path_factory.mktemp("long")
    _write_large_project(folder)
    garden = _open_workspace_at(folder)

    begun = asyncio.run(garden.begin(PlayOrigin(scenario="small")))
    garden.close()
    _play_elsewhere(folder, begun.id)
    return folder, begun.id


def _play_elsewhere(folder: Path, run_id: str) -> None:
    garden = _open_workspace_at(folder)

    async def play() -> None:
        hosted = await garden.find_playing(run_id)
        assert isinstance(hosted, ScenarioPlaying)
        for _ in range(TURNS):
            await hosted.run.say("look")

    asyncio.run(play())
    garden.close()


def _ask_of_run(ask: Callable[..., tuple[int, float]], operation: Operation, run: str) -> float:
    body = {"json": ASKED.get(operation.name, {})} if operation.takes else {}
    status, held = ask(operation.method, _fill_path(operation, run), **body)
    assert status < 500, operation.name
    return held


OF_A_RUN = [each for each in HTTP_OPERATIONS if "/runs/{run}" in each.path and not each.streams]


def test_a_long_history_delays_no_other_request_after_a_restart(
    long_history: tuple[Path, str],
) -> None:
    """The first request about a long run after a restart does not block the loop."""
    folder, run = long_history
    slow = {}
    for operation in sample_cases(OF_A_RUN, 6, lambda each: each.name):
        held = min(_open_runs_with(operation, folder, run))
        if held >= FREEZE_SECONDS:
            slow[operation.name] = held

    assert {} == slow


def _open_runs_with(operation: Operation, folder: Path, run: str) -> Iterator[float]:
    """How long an operation blocks the loop as a server's first request, until it is short."""
    for _ in range(ATTEMPTS):
        visitors = ServerVisitors(folder)
        with visitors.client:
            held = _ask_of_run(visitors.ask_once, operation, run)
        yield held
        if held < FREEZE_SECONDS:
            return


@pytest.fixture(scope="module")
def long_story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a stopped server, and a run of a story with many moves."""
    folder = tmp_path_factory.mktemp("story")
    _write_large_project(folder)
    (folder / "stories").mkdir()
    (folder / "stories" / "tale.md").write_text("## a\n\nOne.\n\nTwo.\n\n[on](#a)\n")
    garden = _open_workspace_at(folder)

    async def play() -> str:
        begun = await garden.begin(PlayOrigin(story="tale"))
        await begun.step(PlayRequest(revision=begun.revision))
        log = MoveLog(begun.id, garden.plays)
        move = log.read(begun.revision)
        further = range(begun.revision + 1, begun.revision + TURNS)

        def append() -> None:
            for each in further:
                log.append(each, move)

        await garden.plays.commit(append)
        return begun.id

    run = asyncio.run(play())
    garden.close()
    return folder, run


@pytest.mark.parametrize("name", choose_cases(STORY_OPERATIONS, "readRun", "goBack"))
def test_a_long_story_delays_no_other_request_after_a_restart(
    long_story: tuple[Path, str], name: str
) -> None:
    """The first request about a long story after a restart does not block the loop."""
    operation = next(each for each in HTTP_OPERATIONS if each.name == name)

    assert min(_open_runs_with(operation, *long_story)) < FREEZE_SECONDS


def test_skipping_a_long_story_delays_no_other_request(tmp_path: Path) -> None:
    """Skipping the read part of a long story does not block the loop."""
    visitors = ServerVisitors(tmp_path)
    lines = "".join(f"Line {n}.\n\n" for n in range(LINES))
    stories = tmp_path / "stories"
    stories.mkdir()
    (stories / "tale.md").write_text(f"## a\n\nOn?\n\n- Yes.\n- No.\n\n{lines}[a](#a)\n")
    with visitors.client:
        visitors.tell("POST", "/runs", {"story": "tale"})
        visitors.tell("POST", "/choices", {"index": 0})
        while visitors.tell("POST", "/steps", {})["waiting"] != "choice":
            continue
        told = visitors.tell("POST", "/choices", {"index": 0})
        headers = {"if-match": f'"{told["revision"]}"'}
        status, held = visitors.ask_once(
            "POST", f"/runs/{visitors.run}/skip", json={}, headers=headers
        )

    assert 200 == status
    assert held < FREEZE_SECONDS


@pytest.mark.parametrize("work", CIRCLES)
def test_a_story_in_a_loop_delays_no_other_request(visitors: ServerVisitors, work: str) -> None:
    """The computation between two lines of a story does not block the loop, and is limited."""
    change = f"[SET n += 1]\n{CIRCLES[work]}"
    circle = f"## a\n{change}\n:::when n < 0\nNever.\n:::\n[a](#a)\n"
    draft = f"---\nvars: {{n: 0, m: 0, t: {'x' * 1000}}}\n---\nHello.\n\n{circle}"
    begun = visitors.client.post("/api/v1/runs", json={"draft": draft}).json()
    path, headers = f"/runs/{begun['run']}/steps", {"if-match": f'"{begun["revision"]}"'}
    status, held = visitors.ask("POST", path, json={}, headers=headers)

    assert 422 == status
    assert held < FREEZE_SECONDS


@pytest.mark.parametrize("role", choose_cases(ROLES, "at this machine", "person"))
def test_no_role_delays_other_requests_in_a_long_history(
    long_history: tuple[Path, str], role: str
) -> None:
    """No role's operations on a long run block the loop."""
    folder, run = long_history
    visitors = ServerVisitors(folder)
    visitors.role = ROLES[role]
    with visitors.client:
        held = {each.name: _ask_of_run(visitors.ask, each, run) for each in OF_A_RUN}

    assert {} == {name: each for name, each in held.items() if each >= FREEZE_SECONDS}


def test_turns_of_another_process_delay_no_other(tmp_path: Path) -> None:
    """Turns that another process has added to an open run do not block the loop."""
    assert min(_follow_other_processes(tmp_path)) < FREEZE_SECONDS


def _follow_other_processes(folder: Path) -> Iterator[float]:
    """How long turns of another process block the loop, until it is short."""
    visitors = ServerVisitors(folder)
    with visitors.client:
        for _ in range(ATTEMPTS):
            begun = visitors.client.post("/api/v1/runs", json={"scenario": "small"})
            run = begun.json()["run"]
            _play_elsewhere(folder, run)
            _set_garbage_aside()
            status, held = visitors.ask_once("GET", f"/runs/{run}")
            assert 200 == status
            yield held
            if held < FREEZE_SECONDS:
                return


def test_a_server_ends_while_it_works_on_a_hostile_request(tmp_path: Path) -> None:
    """SIGTERM ends the server within its time, even during a hostile request."""
    _write_large_project(tmp_path)
    body = {"scenario": "big"}
    words = {"text": WORDS["Japanese"] * 10}
    with ServeProcess(tmp_path, "--registry", "scenarios/registry.yaml") as server:
        client = _SocketClient(server.port)
        run = client.post("/api/v1/runs", body)["run"]
        path = f"/api/v1/runs/{run}/preview"
        asking = [threading.Thread(target=client.post, args=(path, words)) for _ in range(4)]
        for each in asking:
            each.start()
        threading.Event().wait(2)
        server.process.send_signal(signal.SIGTERM)
        # Five seconds are promised, and the requests would take many times that.
        code = server.process.wait(PATIENCE / 6)
        for each in asking:
            each.join()

    assert 0 == code


class _SocketClient:
    def __init__(self, port: int) -> None:
        self._port = port

    def post(self, path: str, body: Any) -> Any:
        """The answer; None if the server has ended before."""
        line = http.client.HTTPConnection("localhost", self._port)
        try:
            line.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            return json.loads(line.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            line.close()
