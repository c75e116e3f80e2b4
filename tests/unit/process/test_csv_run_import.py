"""Runs of another gate, imported from CSV."""

import pytest

from saniwa.core.errors import ProcessError, StoreError
from saniwa.process.csv_run_import import ImportedRun
from saniwa.process.event_record import EventRecord, render_rows
from tests.fakes.paper_process import AGENT, HOUR, PILE, REVIEWER, PaperGates, make_paper_process

HEADER = "timestamp,state,revision,event,idempotency_key,artifact_paths\n"
TABLE = HEADER + (
    "2025-01-22T10:00:00Z,draft,1,__init__,__init__:run-1,\n"
    '2025-01-22T10:01:00.500Z,draft,2,jot,"odd, ""key""",text.md\n'
    "2025-01-22T10:02:00Z,review,3,submit,s-1,text.md;source-1.md;source-2.md\n"
)
RUN = "run-01"
SOON = 1_737_540_300_000
"""Two minutes after the last row, because timers count from the times of the rows."""


def _import(office: PaperGates, table: str = TABLE) -> ImportedRun:
    office.clock.moment = SOON
    return office.make_gate(REVIEWER).import_run("paper", table, run_id=RUN)


def test_rows_become_a_run_with_their_times_states_and_keys() -> None:
    """Exporting an imported run gives the table again, with `created` in its first row."""
    office = PaperGates(files=PILE)

    done = _import(office)
    table = "".join(render_rows(office.make_gate().read_history(RUN)))

    assert ("review", 3, ()) == (done.run.state, done.run.revision, done.missing)
    assert table.replace("\r", "") == (
        TABLE.replace("__init__,__init__:run-1", "created,")
        .replace(".500Z", "Z")
        .replace("s-1,text.md;source", "s-1,source")
    )


def test_files_become_evidence_once_and_the_others_are_listed() -> None:
    """Each file becomes evidence once, and missing files are listed with their line."""
    office = PaperGates(files={"text.md": "t"})

    done = _import(office)

    assert ["text.md"] == [each.path for each in done.run.list_artifacts()]
    assert ["line 4", "line 4"] == [each.partition(":")[0] for each in done.missing]


def test_no_hook_runs() -> None:
    """Importing runs no hook, now or later."""
    office = PaperGates(files=PILE)

    _import(office)
    office.make_gate().get_state(RUN)
    office.decide(RUN, "reject")

    assert [] == office.post.sent


def test_the_run_continues_at_this_gate() -> None:
    """A person can approve on the imported evidence."""
    office = PaperGates(files=PILE)
    _import(office)

    assert office.decide(RUN, "approve")["success"] is True


def test_timers_count_from_the_times_of_the_rows() -> None:
    """Timed transitions count from the times of the rows."""
    office = PaperGates(files=PILE)
    _import(office)
    office.clock.moment += HOUR

    assert ["thrown_away"] == [each.to_state for each in office.make_gate().tick(RUN)]


def test_a_key_of_the_table_is_not_done_again() -> None:
    """A key in the table is not used again."""
    office = PaperGates(files=PILE)
    _import(office)

    answer = office.send(RUN, "submit", idempotency_key="s-1")

    assert (3, True) == (answer["result"]["new_revision"], answer["result"]["replayed"])


def test_verify_says_what_was_taken_over_and_finds_nothing_wrong() -> None:
    """`verify` notes the imported rows and has no errors."""
    office = PaperGates(files=PILE)
    _import(office, TABLE + "2025-01-22T10:03:00Z,published,4,approve,a-1,\n")

    report = office.make_gate().verify(RUN)

    assert () == report.errors
    assert "4 rows were imported from a table by 'ann'" in next(
        each.message for each in report.findings if each.code == "ROWS_IMPORTED"
    )


def test_a_forged_row_is_found() -> None:
    """`verify` reports imported rows that are impossible, or not at the beginning."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    with office.log.lock_run(run_id) as passage:
        record = EventRecord(
            revision=2,
            at=1,
            state="published",
            event="approve",
            event_id="evt-x",
            source="draft",
            author=AGENT.author,
            imported="0" * 64,
        )
        passage.append(record)

    found = [each.message for each in office.make_gate().verify(run_id).errors]

    assert 2 == sum("is impossible: " in each for each in found), found


def test_an_interrupted_import_continues() -> None:
    """Importing the same table again continues; another table under the id is refused."""
    office = PaperGates(files=PILE)
    whole, begun = TABLE, PaperGates(files=PILE)
    _import(office)
    entries = [each for each in office.log.read_entries(RUN) if isinstance(each, EventRecord)]
    begun.log.create(RUN, entries[0], make_paper_process())

    assert 3 == _import(begun, whole).run.revision
    assert 3 == _import(begun, whole).run.revision
    with pytest.raises(StoreError) as refused:
        _import(begun, whole.replace("s-1", "s-2"))
    assert "RUN_EXISTS" == refused.value.code


def test_an_agent_takes_nothing_over() -> None:
    """An agent may not import a run."""
    with pytest.raises(ProcessError) as refused:
        PaperGates().make_gate().import_run("paper", TABLE)

    assert "FORBIDDEN" == refused.value.code


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("", "the first line must be"),
        ("a,b\n", "the first line must be"),
        (HEADER, "it has no rows"),
        (TABLE + '"x', "not CSV"),
        (TABLE + "now,draft\n", "it has 2 cells"),
        (TABLE.replace(",3,", ",5,"), "revision 3 was expected, not '5'"),
        (TABLE.replace("__init__,", "begin,"), "a run must start with 'created'"),
        (TABLE.replace("2025-01-22T10:02:00Z", "noon"), "'noon' is not an ISO 8601 time"),
        (TABLE.replace("draft,1", "review,1"), "the process starts in 'draft'"),
        (TABLE.replace("review,3", "published,3"), "'submit' leads from 'draft' not to"),
        (TABLE.replace("s-1", '"odd, ""key"""'), "cannot be used"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_its_line(table: str, why: str) -> None:
    """An invalid table is refused with its line, and nothing is stored."""
    office = PaperGates(files=PILE)

    with pytest.raises(ProcessError) as refused:
        _import(office, table)

    assert "IMPORT_REFUSED" == refused.value.code
    assert why in refused.value.message
    assert [] == [*office.log.list_runs()]


def test_a_run_begins_with_a_process_that_is_given_itself() -> None:
    """The process can be given as an object."""
    office = PaperGates()

    run = office.make_gate().create_run(make_paper_process(process_id="other", version="7"))

    assert ("other", "7") == (run.opening.process_id, run.opening.process_version)
    assert "draft" == office.make_gate().get_state(run.run_id).current_state
