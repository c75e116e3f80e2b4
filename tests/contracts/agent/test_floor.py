"""Every floor there is keeps what `AgentPort` promises, the fake of other tests included."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import saniwa
from saniwa.agent.gate_port import GateAgentPort
from saniwa.agent.port import AgentPort, AgentSubmission, AgentView, NullAgentPort
from saniwa.app.gate.access import open_gate
from saniwa.core.clock import FixedClock
from saniwa.core.errors import LoopError
from saniwa.core.ids import CountingIds
from saniwa.process.artifact import Claim
from saniwa.runs.agent_port import RunAgentPort
from saniwa.runs.inspector import RunMinds
from saniwa.store.gate.submission_folder import DiskSubmissionFolder
from saniwa.world.model import Id
from tests.fakes.agents import FactFloor
from tests.fakes.runs import garden_run

_WORDS = "say good evening"
_HANDED = AgentSubmission(
    event="submit_hypothesis", artifacts=(Claim(path="hypothesis.md", content="It rains."),)
)


class Standing(NamedTuple):
    """A floor, and what a test may know of it."""

    floor: AgentPort
    deeds: Callable[[], int]
    """How many things have happened there."""
    hears: bool = False
    """Whether there is a world to speak in."""
    takes: bool = False
    """Whether there is a gate to hand in at."""


@contextmanager
def _none(folder: Path) -> Iterator[Standing]:  # noqa: ARG001 - as all of them
    yield Standing(NullAgentPort(), lambda: 0)


@contextmanager
def _gate(folder: Path) -> Iterator[Standing]:
    place = folder / ".state_gate"
    with open_gate(place, clock=FixedClock(), ids=CountingIds()) as gate:
        run_id = gate.create_run("exploration").run_id
        floor = GateAgentPort(gate, run_id, DiskSubmissionFolder(place / "artifacts" / run_id))
        yield Standing(floor, lambda: gate.get_state(run_id).revision, takes=True)


@contextmanager
def _world(folder: Path) -> Iterator[Standing]:  # noqa: ARG001 - as all of them
    run = garden_run()
    floor = RunAgentPort(run, Id("keeper"), RunMinds(run))
    yield Standing(floor, lambda: run.count, hears=True)


@contextmanager
def _both(folder: Path) -> Iterator[Standing]:
    run = garden_run()
    with _gate(folder) as at:
        floor = RunAgentPort(run, Id("keeper"), RunMinds(run), gate=at.floor)
        yield Standing(floor, lambda: run.count + at.deeds(), hears=True, takes=True)


@contextmanager
def _fake(folder: Path) -> Iterator[Standing]:  # noqa: ARG001 - as all of them
    floor = FactFloor(AgentView(variables={"scene": "a yard"}))
    yield Standing(floor, lambda: len(floor.done), hears=True, takes=True)


FLOORS = {"none": _none, "gate": _gate, "world": _world, "world with a gate": _both, "fake": _fake}


@pytest.fixture(params=FLOORS)
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Standing]:
    """Each floor in turn."""
    with ExitStack() as stack:
        yield stack.enter_context(FLOORS[request.param](tmp_path))


def test_every_floor_there_is_stands_here() -> None:
    """Whoever writes another adds it to this suite."""
    promised = {"view", "speak", "submit", "wait"}
    found = set[str]()
    for path in sorted(Path(saniwa.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = {getattr(each, "name", "") for each in node.body}
                found |= {node.name} if promised <= methods else set()

    assert {"AgentPort", "NullAgentPort", "GateAgentPort", "RunAgentPort"} == found


def test_the_same_standing_gives_the_same_view_and_changes_nothing(at: Standing) -> None:
    """Byte for byte, however often it is looked at."""
    before = at.deeds()
    views = {msgspec.json.encode(at.floor.view(), enc_hook=dict) for _ in range(3)}

    assert (1, before) == (len(views), at.deeds())


def test_the_same_attempt_to_speak_does_nothing_twice(at: Standing) -> None:
    """It gives the same turn again; another attempt is another deed."""
    if not at.hears:
        _refuses(at, lambda: at.floor.speak(_WORDS, "a:1:0@0"))
        return
    before = at.deeds()
    first = asyncio.run(at.floor.speak(_WORDS, "a:1:0@0"))
    again = asyncio.run(at.floor.speak(_WORDS, "a:1:0@0"))

    assert (first, before + 1) == (again, at.deeds())
    asyncio.run(at.floor.speak(_WORDS, "a:2:0@1", calls=2))
    assert before + 2 == at.deeds()


def test_the_same_attempt_to_hand_in_does_nothing_twice(at: Standing) -> None:
    """It gives the same ruling again."""
    if not at.takes:
        _refuses(at, lambda: at.floor.submit(_HANDED, "a:1:0@0"))
        return
    before = at.deeds()
    first = asyncio.run(at.floor.submit(_HANDED, "a:1:0@0"))
    after = at.deeds()
    again = asyncio.run(at.floor.submit(_HANDED, "a:1:0@0"))

    assert after > before
    assert (type(first), after) == (type(again), at.deeds())


def test_waiting_does_nothing_itself(at: Standing) -> None:
    """It says whether to look again, and nothing happens by it."""
    before = at.deeds()

    assert asyncio.run(at.floor.wait()) in (True, False)
    assert before == at.deeds()


def _refuses(at: Standing, deed: Callable[[], object]) -> None:
    """What a floor is not made for is an error that says so, and nothing happens."""
    before = at.deeds()
    with pytest.raises(LoopError) as problem:
        asyncio.run(deed())  # type: ignore[arg-type]
    assert ("FLOOR_UNFIT", before) == (problem.value.code, at.deeds())
