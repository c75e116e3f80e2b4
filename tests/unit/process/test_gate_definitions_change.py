from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.core.errors import ProcessError
from saniwa.process.definition import Process
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_record import EventRecord
from saniwa.process.run_audit import RunAudit
from tests.fakes.paper_process import REVIEWER, PaperGates, make_paper_process, read_refusal


def test_runs_on_two_definitions_each_keep_their_own() -> None:
    """Each run is judged by its own definition."""
    office = PaperGates()
    older = office.begin()
    office.library.processes["paper"] = make_paper_process(version="2", transitions=())
    newer = office.begin()
    gate = office.make_gate()

    for turn in range(1, 4):
        sent: dict[str, Any] = {
            "event_name": "jot",
            "expected_revision": turn,
            "idempotency_key": f"k{turn}",
        }
        assert gate.emit_event(run_id=older, **sent)["success"] is True
        assert "INVALID_EVENT" == read_refusal(
            gate.emit_event(run_id=newer, **(sent | {"expected_revision": 1}))
        )


def test_a_run_continues_under_the_definition_it_began_with() -> None:
    """Editing a process does not change runs that have started."""
    office = PaperGates()
    run_id = office.begin()
    office.library.processes["paper"] = make_paper_process(version="2", transitions=())

    assert office.send(run_id, "jot")["success"] is True
    assert "1" == office.make_gate().get_state(run_id).process_version


def test_a_person_moves_a_run_to_a_new_definition() -> None:
    """A person can migrate a run, which is a record, and the new definition applies from there."""
    office = PaperGates()
    run_id = office.begin()
    office.library.processes["paper"] = make_paper_process(version="2", transitions=())

    moved = office.make_gate(REVIEWER).migrate(run_id)
    again = office.make_gate(REVIEWER).migrate(run_id)

    assert ("2", 2) == (moved.opening.process_version, moved.revision)
    assert 2 == again.revision
    assert "INVALID_EVENT" == read_refusal(office.send(run_id, "jot"))


def test_a_run_does_not_move_where_its_state_is_gone() -> None:
    """A run is not migrated to a definition without its state, and nothing is written."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    states = (make_paper_process().states[0], make_paper_process().states[2])
    office.library.processes["paper"] = make_paper_process(version="2", states=states)
    before = office.log.load_run(run_id).revision

    with pytest.raises(ProcessError, match="no state 'review'"):
        office.make_gate(REVIEWER).migrate(run_id)

    assert before == office.log.load_run(run_id).revision


def test_a_run_does_not_move_to_another_process() -> None:
    """A run is not migrated to another process."""
    office = PaperGates()
    run_id = office.begin()

    with pytest.raises(ProcessError, match="MIGRATION_REFUSED"):
        office.make_gate(REVIEWER).migrate(run_id, make_paper_process(process_id="other"))


def test_an_agent_moves_no_run_to_a_definition() -> None:
    """An agent cannot migrate a run."""
    office = PaperGates()
    run_id = office.begin()

    with pytest.raises(ProcessError, match="FORBIDDEN"):
        office.make_gate().migrate(run_id)


def _make_mapped_process() -> Process:
    """The paper's process with its review state renamed, and a webhook on entering."""
    process = make_paper_process()
    states = tuple(
        replace(each, name="reading") if each.name == "review" else each for each in process.states
    )
    ways = tuple(
        replace(way, source="reading") if way.source == "review" else way
        for way in process.transitions
        if way.to != "review"
    )
    return replace(
        process, version="2", states=states, transitions=ways, state_map={"review": "reading"}
    )


def test_a_run_moves_to_the_state_that_took_the_place_of_its_own() -> None:
    """A migration maps the state to its new name, runs no hook, and passes `verify`."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.post.sent.clear()

    moved = office.make_gate(REVIEWER).migrate(run_id, _make_mapped_process())
    office.make_gate().tick(run_id)

    assert ("review", "reading") == (moved.source, moved.state)
    assert [] == office.post.sent
    assert office.decide(run_id, "approve")["success"] is True
    assert () == office.make_gate().verify(run_id).errors


def test_a_state_that_still_exists_is_not_mapped() -> None:
    """A state that still exists is not mapped."""
    office = PaperGates()
    run_id = office.begin()
    process = make_paper_process(version="2", state_map={"draft": "published"})

    assert "draft" == office.make_gate(REVIEWER).migrate(run_id, process).state


def test_a_migration_to_another_state_than_the_map_names_is_found() -> None:
    """`verify` reports a migration to a state other than the mapped one."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    gate = office.make_gate(REVIEWER)
    gate.migrate(run_id, _make_mapped_process())
    *before, moved = [e for e in gate.read_history(run_id) if isinstance(e, EventRecord)]
    forged = replace(moved, state="published")
    audit = RunAudit(run_id, lambda hash: ProcessIndex(office.log.load_definition(hash)))

    found = [each.message for each in audit.check_records([*before, forged])]

    assert any("must keep a state" in each for each in found), found
