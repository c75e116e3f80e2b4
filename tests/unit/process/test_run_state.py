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
    """A transition to the same state does not change when it was entered."""
    standing = make_run()

    standing.apply_record(make_next_record(standing, "knock"))

    assert standing.created == standing.entered
    assert standing.updated == standing.created + 1000


def test_entering_another_state_is_remembered_with_its_moment() -> None:
    """Entering a state records the time and the previous state."""
    standing = make_run()

    standing.apply_record(make_next_record(standing, "open"))

    assert ("closed", "open") == (standing.source, standing.state)
    assert standing.updated == standing.entered


def test_what_is_submitted_again_replaces_the_older() -> None:
    """Evidence submitted again replaces the older, also with another spelling of the path."""
    standing = make_run()
    standing.apply_record(make_next_record(standing, artifacts=(make_artifact("a.md"),)))

    again = make_artifact("./a.md", hash="b" * 64)
    standing.apply_record(make_next_record(standing, artifacts=(again,)))

    assert [again] == list(standing.list_artifacts())


def test_handing_in_as_another_kind_takes_nothing_away() -> None:
    """Submitting a file as another kind does not remove it from the first."""
    standing = make_run()
    standing.apply_record(make_next_record(standing, artifacts=(make_artifact("a.md"),)))

    standing.apply_record(
        make_next_record(standing, artifacts=(make_artifact("a.md", kind="memo"),))
    )

    assert {"memo", "permit"} == {each.type for each in standing.list_artifacts()}


def test_a_late_note_does_not_count_for_another_revision() -> None:
    """A note for an earlier event does not count for the current one."""
    standing = make_run()
    late = make_note(standing, hook=0)
    standing.apply_record(make_next_record(standing))

    standing.apply_note(late)

    assert 0 == standing.hooks_done


def test_notes_set_variables_and_bring_evidence() -> None:
    """Notes of hooks set variables and add evidence."""
    standing = make_run()

    standing.apply_note(
        make_note(standing, hook=0, variables={"seen": True}, artifacts=(make_artifact(),))
    )

    assert standing.variables["seen"] is True
    assert 1 == standing.hooks_done
    assert ["permit.md"] == [each.place for each in standing.list_artifacts()]
