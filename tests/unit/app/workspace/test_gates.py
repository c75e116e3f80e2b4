import asyncio
from pathlib import Path

import pytest

from saniwa.app.gate import gate_service
from saniwa.app.gate.gate_service import GateService
from saniwa.app.gate.remote_evidence import ProtectedPaths
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.ids import CountingIds
from saniwa.process.gate import Gate
from saniwa.process.submission import Visitor

AGENT = Visitor("agent")
MIRA = Visitor("reviewer", person=True, name="mira")


def make_gate_service(place: str) -> GateService:
    """A gate for tests."""
    return GateService(place, clock=FixedClock(0), ids=CountingIds(), kept=ProtectedPaths())


def begin_run(gate: Gate) -> str:
    """The author of a new run."""
    run_id = gate.create_run("exploration").run_id
    return next(each.author.id for each in gate.read_history(run_id) if hasattr(each, "author"))


def test_every_caller_has_their_own_gate(tmp_path: Path) -> None:
    """Each caller writes under their own name, in the same runs."""
    opened = make_gate_service(str(tmp_path))
    first = asyncio.run(opened.ask(AGENT, None, begin_run))
    second = asyncio.run(opened.ask(MIRA, None, begin_run))
    seen = asyncio.run(opened.ask(AGENT, None, lambda gate: len(list(gate.list_runs()))))

    assert ("agent", "mira", 2) == (first, second, seen)


def test_runs_in_memory_last_as_long_as_the_workspace() -> None:
    """Runs in memory are shared by all callers of a workspace."""
    opened = make_gate_service("memory:")
    asyncio.run(opened.ask(AGENT, None, begin_run))

    assert 1 == asyncio.run(opened.ask(MIRA, None, lambda gate: len(list(gate.list_runs()))))


def test_a_door_is_used_again_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open gate is reused per caller, up to a limit."""
    monkeypatch.setattr(gate_service, "MOST_GATES", 2)
    opened = make_gate_service(str(tmp_path))

    def open_gate_as(name: str) -> Gate:
        visitor = Visitor("human", person=True, name=name)
        return asyncio.run(opened.ask(visitor, None, lambda gate: gate))

    first = open_gate_as("a")
    assert first is open_gate_as("a")
    open_gate_as("b")
    open_gate_as("c")
    assert first is not open_gate_as("a")


def test_an_error_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    """An error shows file names without folders, also in hints and findings."""
    folder = tmp_path / "processes"
    folder.mkdir()
    (folder / "odd.yaml").write_text("process_id: odd\n", encoding="utf-8")
    opened = make_gate_service(str(tmp_path))
    with pytest.raises(SaniwaError) as broken:
        asyncio.run(opened.ask(AGENT, None, lambda gate: gate.create_run("odd")))
    with pytest.raises(SaniwaError) as absent:
        asyncio.run(opened.ask(AGENT, None, lambda gate: gate.get_state("nothing")))

    told = str(broken.value.to_document()) + str(absent.value.to_document())
    assert str(tmp_path) not in told
    assert "odd.yaml" in told


def test_an_address_of_another_kind_is_refused_at_once() -> None:
    """An unknown kind of address is refused when the workspace is opened."""
    with pytest.raises(StoreError) as refused:
        make_gate_service("mysql://here/gate")

    assert "STORE_UNKNOWN" == refused.value.code
