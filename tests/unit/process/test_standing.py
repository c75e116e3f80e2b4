from saniwa.process.run import ProcessRun
from tests.fakes.gate import artifact, door_process, next_record, note, opening_record, run_id


def begun() -> ProcessRun:
    """A run of the door's process at its first revision."""
    return ProcessRun.from_first_record(run_id(), opening_record(door_process()))


def test_staying_in_a_state_does_not_enter_it_again() -> None:
    """Timers count from the moment the state was entered."""
    standing = begun()

    standing.apply_record(next_record(standing, "knock"))

    assert standing.created == standing.entered
    assert standing.updated == standing.created + 1000


def test_entering_another_state_is_remembered_with_its_moment() -> None:
    """And where it was entered from."""
    standing = begun()

    standing.apply_record(next_record(standing, "open"))

    assert ("closed", "open") == (standing.source, standing.state)
    assert standing.updated == standing.entered


def test_what_is_handed_in_again_replaces_the_older() -> None:
    """Also under another spelling: one file is one artifact."""
    standing = begun()
    standing.apply_record(next_record(standing, artifacts=(artifact("a.md"),)))

    again = artifact("./a.md", hash="b" * 64)
    standing.apply_record(next_record(standing, artifacts=(again,)))

    assert [again] == list(standing.list_artifacts())


def test_handing_in_as_another_kind_takes_nothing_away() -> None:
    """Else an agent could make evidence against itself disappear."""
    standing = begun()
    standing.apply_record(next_record(standing, artifacts=(artifact("a.md"),)))

    standing.apply_record(next_record(standing, artifacts=(artifact("a.md", kind="memo"),)))

    assert {"memo", "permit"} == {each.type for each in standing.list_artifacts()}


def test_a_late_note_does_not_count_for_another_revision() -> None:
    """A hook of the event before says nothing about this event's hooks."""
    standing = begun()
    late = note(standing, hook=0)
    standing.apply_record(next_record(standing))

    standing.apply_note(late)

    assert 0 == standing.hooks_done


def test_notes_set_variables_and_bring_evidence() -> None:
    """What hooks did is part of where a run stands."""
    standing = begun()

    standing.apply_note(note(standing, hook=0, variables={"seen": True}, artifacts=(artifact(),)))

    assert standing.variables["seen"] is True
    assert 1 == standing.hooks_done
    assert ["permit.md"] == [each.place for each in standing.list_artifacts()]
