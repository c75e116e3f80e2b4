"""Every agent port keeps what `AgentPort` promises, the fake of other tests included."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import saniwa
from saniwa.agent.gate_agent_port import GateAgentPort
from saniwa.agent.port import AgentPort, AgentSubmission, AgentView, NullAgentPort
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.clock import FixedClock
from saniwa.core.errors import LoopError
from saniwa.core.ids import CountingIds
from saniwa.process.artifact import Claim
from saniwa.runs.agent_port import RunAgentPort
from saniwa.runs.run_inspector import RunMinds
from saniwa.store.gate.submission_folder import DiskSubmissionFolder
from saniwa.world.model import Id
from tests.fakes.agents import FactAgentPort
from tests.fakes.runs import open_courtyard_run

_WORDS = "say good evening"
_HANDED = AgentSubmission(
    event="submit_hypothesis", artifacts=(Claim(path="hypothesis.md", content="It rains."),)
)


class PortUnderTest(NamedTuple):
    """A port, and what a test needs to know about it."""

    floor: AgentPort
    deeds: Callable[[], int]
    """How many changes the agent has made through it."""
    hears: bool = False
    """Whether it has a world to speak in."""
    takes: bool = False
    """Whether it has a gate to submit to."""


@contextmanager
def _open_null_port(folder: Path) -> Iterator[PortUnderTest]:  # noqa: ARG001 - the common signature
    yield PortUnderTest(NullAgentPort(), lambda: 0)


@contextmanager
def _open_gate_port(folder: Path) -> Iterator[PortUnderTest]:
    place = folder / ".state_gate"
    with open_gate(place, clock=FixedClock(), ids=CountingIds()) as gate:
        run_id = gate.create_run("exploration").run_id
        floor = GateAgentPort(gate, run_id, DiskSubmissionFolder(place / "artifacts" / run_id))
        yield PortUnderTest(floor, lambda: gate.get_state(run_id).revision, takes=True)


@contextmanager
def _open_world_port(folder: Path) -> Iterator[PortUnderTest]:  # noqa: ARG001 - the common signature
    run = open_courtyard_run()
    floor = RunAgentPort(run, Id("keeper"), RunMinds(run))
    yield PortUnderTest(floor, lambda: run.count, hears=True)


@contextmanager
def _open_both_ports(folder: Path) -> Iterator[PortUnderTest]:
    run = open_courtyard_run()
    with _open_gate_port(folder) as at:
        floor = RunAgentPort(run, Id("keeper"), RunMinds(run), gate=at.floor)
        yield PortUnderTest(floor, lambda: run.count + at.deeds(), hears=True, takes=True)


@contextmanager
def _open_fake_port(folder: Path) -> Iterator[PortUnderTest]:  # noqa: ARG001 - the common signature
    floor = FactAgentPort(AgentView(variables={"scene": "a yard"}))
    yield PortUnderTest(floor, lambda: len(floor.done), hears=True, takes=True)


FLOORS = {
    "none": _open_null_port,
    "gate": _open_gate_port,
    "world": _open_world_port,
    "world with a gate": _open_both_ports,
    "fake": _open_fake_port,
}


@pytest.fixture(params=FLOORS)
def port_under_test(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PortUnderTest]:
    """Each port in turn."""
    with ExitStack() as stack:
        yield stack.enter_context(FLOORS[request.param](tmp_path))


def test_every_agent_port_is_in_this_suite() -> None:
    """A new class with the methods of an agent port must be added to this suite."""
    promised = {"view", "speak", "submit", "wait"}
    found = set[str]()
    for path in sorted(Path(saniwa.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = {getattr(each, "name", "") for each in node.body}
                found |= {node.name} if promised <= methods else set()

    assert {"AgentPort", "NullAgentPort", "GateAgentPort", "RunAgentPort"} == found


def test_the_same_standing_gives_the_same_view_and_changes_nothing(
    port_under_test: PortUnderTest,
) -> None:
    """While nothing changes, every view is the same byte for byte, and viewing changes nothing."""
    before = port_under_test.deeds()
    views = {msgspec.json.encode(port_under_test.floor.view(), enc_hook=dict) for _ in range(3)}

    assert (1, before) == (len(views), port_under_test.deeds())


def test_the_same_attempt_to_speak_does_nothing_twice(port_under_test: PortUnderTest) -> None:
    """Speaking again under the same attempt returns the same turn; a new attempt adds a turn."""
    if not port_under_test.hears:
        _assert_refuses(port_under_test, lambda: port_under_test.floor.speak(_WORDS, "a:1:0@0"))
        return
    before = port_under_test.deeds()
    first = asyncio.run(port_under_test.floor.speak(_WORDS, "a:1:0@0"))
    again = asyncio.run(port_under_test.floor.speak(_WORDS, "a:1:0@0"))

    assert (first, before + 1) == (again, port_under_test.deeds())
    asyncio.run(port_under_test.floor.speak(_WORDS, "a:2:0@1", calls=2))
    assert before + 2 == port_under_test.deeds()


def test_the_same_attempt_to_hand_in_does_nothing_twice(port_under_test: PortUnderTest) -> None:
    """Submitting again under the same attempt returns the same kind of ruling and adds nothing."""
    if not port_under_test.takes:
        _assert_refuses(port_under_test, lambda: port_under_test.floor.submit(_HANDED, "a:1:0@0"))
        return
    before = port_under_test.deeds()
    first = asyncio.run(port_under_test.floor.submit(_HANDED, "a:1:0@0"))
    after = port_under_test.deeds()
    again = asyncio.run(port_under_test.floor.submit(_HANDED, "a:1:0@0"))

    assert after > before
    assert (type(first), after) == (type(again), port_under_test.deeds())


def test_waiting_does_nothing_itself(port_under_test: PortUnderTest) -> None:
    """Waiting returns whether to look again, and changes nothing."""
    before = port_under_test.deeds()

    assert asyncio.run(port_under_test.floor.wait()) in (True, False)
    assert before == port_under_test.deeds()


def _assert_refuses(at: PortUnderTest, deed: Callable[[], object]) -> None:
    """A call that a port does not support is an error that says so, and changes nothing."""
    before = at.deeds()
    with pytest.raises(LoopError) as problem:
        asyncio.run(deed())  # type: ignore[arg-type]
    assert ("FLOOR_UNFIT", before) == (problem.value.code, at.deeds())
