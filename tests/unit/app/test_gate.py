import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.app.gate.configuration import configure_run, locate_gate, read_configured_run
from saniwa.app.gate.gate_opening import (
    authenticate_person,
    find_gate_run,
    make_visitor,
    open_gate,
    open_people,
)
from saniwa.cli.gate.options import explain_missing_gate
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ProcessError, SaniwaError, StoreError
from saniwa.core.ids import CountingIds
from saniwa.process.gate import Gate
from saniwa.process.library import BUNDLED_FOLDER
from saniwa.process.submission import Visitor
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.sealed_gate_log import MemoryGateLog

_SECRET = "correct horse"


def _find_visitor(role: str | None = None, credential: str | None = None) -> Visitor:
    return make_visitor(role, authenticate_person(locate_gate(), role, credential))


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates are opened in an empty folder without environment variables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SANIWA_GATE", raising=False)
    for name in [name for name in os.environ if name.startswith("STATE_GATE_")]:
        monkeypatch.delenv(name)


def _open_fixed_gate(place: str | None = None) -> Gate:
    return open_gate(place, clock=FixedClock(), ids=CountingIds())


def _add_ann() -> str:
    open_people(locate_gate()).add("ann", "reviewer", _SECRET, at="")
    return f"ann:{_SECRET}"


def test_a_gate_is_in_the_folder_of_the_project() -> None:
    """By default a gate is in `.state_gate` of the current folder."""
    places = locate_gate()

    assert Path(".state_gate") == places.root
    assert Path() == places.project
    assert Path(".state_gate/processes") == places.processes
    assert Path(".state_gate/people.json") == places.people
    assert Path(".state_gate/artifacts/run-1") == places.locate_artifacts("run-1")
    assert Path("docs") == places.locate_artifacts("run-1", "docs")


def test_the_environment_says_where_a_gate_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment sets the root and each folder; an argument takes precedence."""
    monkeypatch.setenv("STATE_GATE_PROJECT_ROOT", "/project")
    monkeypatch.setenv("STATE_GATE_RUNS_DIR", "/tables")
    monkeypatch.setenv("STATE_GATE_METADATA_DIR", "/records")
    monkeypatch.setenv("STATE_GATE_PROCESS_DIR", "/processes")
    monkeypatch.setenv("STATE_GATE_PEOPLE", "/etc/people.json")
    places = locate_gate()

    assert ("/project/.state_gate", "/project") == (str(places.root), str(places.project))
    assert ("/tables", "/records") == (str(places.runs), str(places.metadata))
    assert ("/processes", "/etc/people.json") == (str(places.processes), str(places.people))
    monkeypatch.setenv("SANIWA_GATE", "elsewhere")
    assert ("elsewhere", "/project") == (str(locate_gate().root), str(locate_gate().project))
    monkeypatch.delenv("STATE_GATE_PROJECT_ROOT")
    assert (Path("said"), tmp_path) == (locate_gate("said").root, locate_gate("said").project)


def test_a_gate_of_another_user_above_is_used_only_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest gate above is used if it is one's own; any gate is used by its name."""
    (tmp_path / ".state_gate").mkdir()
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    own = locate_gate()
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1, raising=False)
    monkeypatch.setattr("saniwa.core.system_calls._HAS_OWNERS", True)
    others = locate_gate()

    assert (tmp_path, tmp_path / ".state_gate", True) == (own.project, own.root, own.is_above)
    assert ["inner", "inner/x", "..", "/x"] == list(
        map(own.place_in_project, (".", "x", "../..", "/x"))
    )
    assert (Path(".state_gate"), False) == (others.root, others.is_above)
    assert "x" == others.place_in_project("x")
    assert f"belongs to another user; add --dir {tmp_path / '.state_gate'}" in (
        explain_missing_gate(others)
    )
    assert tmp_path / ".state_gate" == locate_gate("../.state_gate").root.resolve()


def test_an_address_keeps_runs_and_the_folder_the_rest() -> None:
    """With a database for runs, processes, people and evidence stay in the folder."""
    places = locate_gate("postgresql://127.0.0.1/gate")

    assert "postgresql://127.0.0.1/gate" == places.address
    assert Path(".state_gate/processes") == places.processes


def test_a_run_in_a_database_is_like_any_other(postgres_url: str, tmp_path: Path) -> None:
    """A run in a database works as in files, with its evidence in the folder."""
    gate = open_gate(postgres_url)
    with closing(gate.log):
        run_id = gate.create_run("exploration").run_id
        evidence = tmp_path / ".state_gate" / "artifacts" / run_id
        evidence.mkdir(parents=True)
        (evidence / "hypothesis.md").write_text("warm")
        answered = gate.emit_event(
            run_id=run_id,
            event_name="submit_hypothesis",
            expected_revision=1,
            idempotency_key="hyp-001",
            artifact_paths=["hypothesis.md"],
        )

        assert answered["success"]
        assert run_id == find_gate_run(gate, "last")
        assert gate.verify(run_id).has_passed
    assert not (tmp_path / ".state_gate" / "runs").exists()


def test_another_kind_of_address_is_refused() -> None:
    """An unknown kind of address is refused, and no folder is created."""
    with pytest.raises(StoreError) as seen:
        locate_gate("mysql://127.0.0.1/gate")

    assert "STORE_UNKNOWN" == seen.value.code


def test_a_gate_is_opened_over_files_or_in_memory() -> None:
    """The place decides whether the log is in files or in memory."""
    files, memory = _open_fixed_gate(), _open_fixed_gate("memory:")

    assert isinstance(files.log, FileGateLog)
    assert isinstance(memory.log, MemoryGateLog)
    assert "frame" == memory.create_run("exploration").state
    files.log.close()


def test_looking_at_a_gate_makes_nothing(tmp_path: Path) -> None:
    """Opening and listing an empty gate creates no files."""
    gate = _open_fixed_gate()

    assert [] == list(gate.log.list_runs())
    gate.log.close()
    assert [] == list(tmp_path.iterdir())


def test_an_unnamed_visitor_is_an_agent() -> None:
    """Without a role, the caller is an agent."""
    assert Visitor("agent") == _find_visitor()


@pytest.mark.parametrize("role", ["human", "reviewer"])
@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_persons_role_needs_a_credential(
    role: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's role needs a credential."""
    if by == "environment":
        monkeypatch.setenv("STATE_GATE_ROLE", role)

    with pytest.raises(ProcessError) as seen:
        open_gate(role=role if by == "argument" else None)

    assert "ROLE_NEEDS_CREDENTIAL" == seen.value.code


def test_another_role_is_an_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process's own role may be used without a credential, but not as a person."""
    monkeypatch.setenv("STATE_GATE_ROLE", "lead")

    assert Visitor("lead", person=False) == _find_visitor()
    assert Visitor("tester") == _find_visitor(role="tester")


def test_an_agent_with_a_credential_is_no_person() -> None:
    """An agent's credential gives it a name, but not a person's rights."""
    open_people(locate_gate()).add("bot", "agent", _SECRET, at="", by=_add_ann())

    assert Visitor("agent", person=False, name="bot") == _find_visitor(credential=f"bot:{_SECRET}")


def test_a_credential_identifies_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a credential the caller is that person, in that person's role."""
    credential = _add_ann()
    expected = Visitor("reviewer", person=True, name="ann")

    assert expected == _find_visitor(credential=credential)
    assert expected == _find_visitor("reviewer", credential)
    monkeypatch.setenv("STATE_GATE_CREDENTIAL", credential)
    assert expected == _open_fixed_gate().visitor


def test_a_credential_gives_no_other_role() -> None:
    """A role that is not the credential's is refused."""
    credential = _add_ann()

    with pytest.raises(ProcessError) as seen:
        _find_visitor("human", credential)

    assert "ROLE_DIFFERS" == seen.value.code
    assert _SECRET not in str(seen.value)


def test_a_wrong_credential_opens_nothing() -> None:
    """A wrong credential is refused, and does not make the caller an agent."""
    _add_ann()

    with pytest.raises(ProcessError) as seen:
        open_gate(credential="ann:wrong horse")

    assert "CREDENTIAL_REFUSED" == seen.value.code
    assert "wrong horse" not in str(seen.value)


def test_a_run_is_found_by_its_id_a_part_or_last() -> None:
    """A run is found by its id, a unique part of it, or `last`."""
    gate = _open_fixed_gate("memory:")
    first = gate.create_run("exploration").run_id
    second = gate.create_run("exploration").run_id

    assert second == find_gate_run(gate, "last")
    assert first == find_gate_run(gate, first)
    assert first == find_gate_run(gate, first[-4:])


@pytest.mark.parametrize("named", ["last", "nobody"])
def test_no_run_is_an_error(named: str) -> None:
    """An unknown run is an error."""
    with pytest.raises(StoreError) as seen:
        find_gate_run(_open_fixed_gate("memory:"), named)

    assert "RUN_NOT_FOUND" == seen.value.code


def test_the_run_one_works_on_is_remembered() -> None:
    """The current run is stored, and other settings in the file are kept."""
    places = locate_gate()
    assert "" == read_configured_run(places)
    places.root.mkdir()
    places.config.write_text('{"role": "agent", "run_id": "run-1"}')

    configure_run(places, "run-2")

    assert "run-2" == read_configured_run(places)
    assert '"role": "agent"' in places.config.read_text()


@pytest.mark.parametrize("content", ["[]", "{", "\ufffd", "[" * 90_000])
def test_a_file_that_names_no_run_is_reported(content: str) -> None:
    """A malformed file of settings is an error."""
    places = locate_gate()
    places.root.mkdir()
    places.config.write_text(content)

    with pytest.raises(SaniwaError) as seen:
        read_configured_run(places)

    assert "STORE_UNREADABLE" == seen.value.code


def test_an_open_gate_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open gate keeps its folder when the program changes its current one."""
    processes = Path(".state_gate/processes")
    processes.mkdir(parents=True)
    shutil.copy(BUNDLED_FOLDER / "exploration.yaml", processes)
    with _open_fixed_gate() as gate:
        run_id = gate.create_run("exploration").run_id
        home = f".state_gate/artifacts/{run_id}"
        before = gate.get_state(run_id).artifact_base_path
        Path(home).mkdir(parents=True)
        Path(home, "hypothesis.md").write_text("warm")
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        answered = gate.emit_event(
            run_id=run_id,
            event_name="submit_hypothesis",
            expected_revision=1,
            idempotency_key="hyp-001",
            artifact_paths=["hypothesis.md"],
        )

        assert answered["success"]
        assert [run_id] == list(gate.list_runs())
        assert home == before
        assert str(tmp_path / home) == gate.get_state(run_id).artifact_base_path
        (tmp_path / processes / "exploration.yaml").write_text("{}")
        with pytest.raises(ProcessError, match="INVALID_PROCESS"):
            gate.create_run("exploration")
    assert [] == list(Path().iterdir())


@pytest.mark.parametrize("people", ["", "team.json"])
def test_marks_are_confirmed_wherever_the_program_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: str
) -> None:
    """Signatures are verified with the people file of the opened gate."""
    monkeypatch.setenv("STATE_GATE_PEOPLE", people)
    credential = _add_ann()
    with open_gate(credential=credential) as gate:
        run_id = gate.create_run("exploration").run_id
        reason = {"event": "submit_hypothesis", "reason": "it was said aloud"}
        answered = gate.emit_event(
            run_id=run_id,
            event_name="override_guard",
            expected_revision=1,
            idempotency_key="o-001",
            payload=reason,
            approval_digest=gate.review_run(run_id).digest,
        )
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")

        assert answered["success"]
        assert () == gate.verify(run_id).findings


def test_a_mistake_in_a_process_is_shown_where_its_author_looks() -> None:
    """A mistake in a process shows the path as it was given."""
    Path(".state_gate/processes").mkdir(parents=True)
    Path(".state_gate/processes/mine.yaml").write_text("{}")

    with pytest.raises(ProcessError) as seen, _open_fixed_gate() as gate:
        gate.create_run("mine")

    assert seen.value.where is not None
    assert ".state_gate/processes/mine.yaml" == seen.value.where.file
