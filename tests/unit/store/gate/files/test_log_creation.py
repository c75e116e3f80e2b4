import msgspec
import pytest

from saniwa.process.definition import hash_process
from saniwa.store.gate import run_journal as gate_journal
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders, is_run_id
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_entries import encode_entry
from saniwa.store.sealed_log import compute_first_seal
from tests.fakes.gate import make_run_id
from tests.unit.store.gate.files.door_run import (
    DOOR,
    FIRST,
    RUN,
    find_error_code,
    list_codes,
    read_journal,
    render_table,
)


def test_a_run_is_a_record_a_table_and_a_definition(log: FileGateLog, folders: GateFolders) -> None:
    """Creating a run writes a journal with a seal, a table and a definition."""
    sealed_by, line = gate_journal.seal_line(compute_first_seal(RUN), encode_entry(FIRST))

    assert line == read_journal(folders)
    assert b"".join(render_rows([FIRST])) == folders.locate_table(RUN).read_bytes()
    assert DOOR == log.load_definition(hash_process(DOOR))
    assert sealed_by.hex() == msgspec.json.decode(line)["seal"]


def test_no_id_leads_out_of_the_folders(log: FileGateLog, folders: GateFolders) -> None:
    """Only `run-` and a UUIDv7 is used as a path; other ids are refused first."""
    for odd in ("../x", "run-1", RUN.upper(), f"{RUN}\n", RUN.replace("-7", "-4"), ""):
        assert not is_run_id(odd)
        assert "RUN_ID_UNUSABLE" == find_error_code(log.create, odd, FIRST, DOOR)
        assert "RUN_NOT_FOUND" == find_error_code(log.load_run, odd)
        assert "RUN_NOT_FOUND" == find_error_code(log.find_faults, odd)
    for odd in ("../../x", "A" * 64, ""):
        assert "DEFINITION_MISSING" == find_error_code(log.load_definition, odd)
    files = [path for path in folders.runs.parent.rglob("*") if path.is_file()]
    assert 3 == len(files)


def test_a_table_without_record_takes_the_id(log: FileGateLog, folders: GateFolders) -> None:
    """No run is created under an id that has a table, and such a table is reported."""
    folders.locate_journal(RUN).unlink()

    assert "RUN_EXISTS" == find_error_code(lambda: log.create(RUN, FIRST, DOOR))
    assert "RECORDS_MISSING" == find_error_code(lambda: log.load_run(RUN))
    assert "RECORDS_MISSING" == find_error_code(lambda: log.lock_run(RUN).__enter__())
    assert ["RECORDS_MISSING"] == list_codes(log)
    assert [RUN] == list(log.list_runs())


@pytest.mark.parametrize("kept", [0, 1, 40, -2])
def test_a_start_request_that_a_crash_stopped_is_no_run(
    log: FileGateLog, folders: GateFolders, kept: int
) -> None:
    """An incomplete first line is not a run; other runs are listed, and the fault is reported."""
    log.create(make_run_id(2), FIRST, DOOR)
    content = read_journal(folders)[:kept]
    folders.locate_table(RUN).unlink()
    folders.locate_journal(RUN).write_bytes(content)

    assert [make_run_id(2)] == list(log.list_runs())
    assert "RUN_NOT_FOUND" == find_error_code(lambda: log.load_run(RUN))
    assert "TRACE_CORRUPT" in list_codes(log)
    assert content == read_journal(folders)


def test_a_record_without_table_gets_one(log: FileGateLog, folders: GateFolders) -> None:
    """A journal without a table gets one when it is opened."""
    folders.locate_table(RUN).unlink()

    assert [RUN] == list(log.list_runs())
    assert 1 == log.load_run(RUN).revision
    assert render_table(log) == folders.locate_table(RUN).read_bytes()
    assert ["LOG_MENDED"] == [finding.code for finding in log.repairs]


def test_foreign_files_are_no_runs(log: FileGateLog, folders: GateFolders) -> None:
    """Files with other names in the folders are ignored."""
    for name in ("notes.csv", f"{RUN}.csv.bak", ".DS_Store", f"x{RUN}.csv"):
        (folders.runs / name).write_text("x")

    assert [RUN] == list(log.list_runs())


def test_a_definition_is_what_its_hash_says(log: FileGateLog, folders: GateFolders) -> None:
    """A definition that does not match its hash is not returned, and is reported."""
    path = folders.locate_definition(hash_process(DOOR))
    path.write_bytes(path.read_bytes().replace(b"A door", b"A gate"))

    assert "DEFINITION_MISSING" == find_error_code(lambda: log.load_definition(hash_process(DOOR)))
    assert ["DEFINITION_MISSING"] == list_codes(log)

    log.store_definition(DOOR)
    assert DOOR == log.load_definition(hash_process(DOOR))
