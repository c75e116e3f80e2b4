from saniwa.process.run_state import ProcessRun
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)


def make_run() -> ProcessRun:
    """A run of the door's process at its first revision."""
    return ProcessRun.from_first_record(make_run_id(), make_opening_record(make_door_process()))


def test_staying_in_a_state_does_not_enter_it_again() -> None:
    """Timers count from the moment the state was entered."""
    standing = make_run()

    standing.apply_record(make_next_record(standing, "knock"))

    assert standing.created == standing.entered
    assert standing.updated == standing.created + 1000


def test_entering_another_state_is_remembered_with_its_moment() -> None:
    """And where it was entered from."""
    standing = make_run()

    standing.apply_record(make_next_record(standing, "open"))

    assert ("closed", "open") == (standing.source, standing.state)
    assert standing.updated == standing.entered


def test_what_is_handed_in_again_replaces_the_older() -> None:
    """Also under another spelling: one file is one artifact."""
    standing = make_run()
    standing.apply_record(make_next_record(standing, artifacts=(make_artifact("a.md"),)))

    again = make_artifact("./a.md", hash="b" * 64)
    standing.apply_record(make_next_record(standing, artifacts=(again,)))

    assert [again] == list(standing.list_artifacts())


def test_handing_in_as_another_kind_takes_nothing_away() -> None:
    """Else an agent could make evidence against itself disappear."""
    standing = make_run()
    standing.apply_record(make_next_record(standing, artifacts=(make_artifact("a.md"),)))

    standing.apply_record(
        make_next_record(standing, artifacts=(make_artifact("a.md", kind="memo"),))
    )

    assert {"memo", "permit"} == {each.type for each in standing.list_artifacts()}


def test_a_late_note_does_not_count_for_another_revision() -> None:
    """A hook of the event before says nothing about this event's hooks."""
    standing = make_run()
    late = make_note(standing, hook=0)
    standing.apply_record(make_next_record(standing))

    standing.apply_note(late)

    assert 0 == standing.hooks_done


def test_notes_set_variables_and_bring_evidence() -> None:
    """What hooks did is part of where a run stands."""
    standing = make_run()

    standing.apply_note(
        make_note(standing, hook=0, variables={"seen": True}, artifacts=(make_artifact(),))
    )

    assert standing.variables["seen"] is True
    assert 1 == standing.hooks_done
    assert ["permit.md"] == [each.place for each in standing.list_artifacts()]
