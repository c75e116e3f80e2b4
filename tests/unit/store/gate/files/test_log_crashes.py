import mmap
import os
import shutil
from collections.abc import Callable

import pytest

from saniwa.core.errors import StoreError
from saniwa.process.event_record import LogNote
from saniwa.store.gate import key_index
from saniwa.store.gate import run_journal as gate_journal
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_entries import encode_entry
from saniwa.store.sealed_log import compute_first_seal
from tests.fakes.gate import make_next_record, make_run_id
from tests.unit.store.gate.files.door_run import (
    DOOR,
    FIRST,
    RUN,
    add,
    find_error_code,
    list_codes,
    read_journal,
    tear,
)


@pytest.mark.parametrize(
    "tail",
    [b'{"seal":"ab', b"\0" * 600, b"\n" * 700 + b'x":1}\n', b'{"a":\n\n\n', b"\xff\n"],
    ids=["torn", "nul", "beyond room", "in room", "bytes"],
)
def test_a_torn_line_is_cut_and_reported(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog], tail: bytes
) -> None:
    """An incomplete last line is removed on opening, with a repair and a note."""
    add(log, 3)
    log.close()
    whole = read_journal(folders)
    tear(folders, tail)
    found = list_codes(log)
    log = log_opener()
    add(log)

    assert ["TRACE_CORRUPT"] == found
    assert ["LOG_MENDED"] == [finding.code for finding in log.repairs]
    assert f"{len(tail)} bytes" in log.repairs[0].message
    assert read_journal(folders).startswith(whole)
    notes = [entry for entry in log.read_entries(RUN) if isinstance(entry, LogNote)]
    assert [log.repairs[0].message] == [note.message for note in notes]
    assert (5, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_bad_byte_in_an_acknowledged_line_is_no_torn_line(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A damaged byte in a complete last line is an error, and the line is not removed."""
    add(log, 2)
    log.close()
    whole = read_journal(folders)
    table = folders.locate_table(RUN).read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for at in range(last, len(whole)):
        spoilt = whole[:at] + bytes([whole[at] ^ 2]) + whole[at + 1 :]
        folders.locate_journal(RUN).write_bytes(spoilt)

        assert "TRACE_CORRUPT" == find_error_code(log_opener().load_run, RUN)
        assert "TRACE_CORRUPT" == find_error_code(add, log_opener())
        assert spoilt == read_journal(folders)
    assert table == folders.locate_table(RUN).read_bytes()


def test_a_first_line_with_a_row_is_no_torn_beginning(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A run whose only line is damaged is corrupt, not missing."""
    log.close()
    spoilt = read_journal(folders).replace(b'"kind"', b'"kind')
    folders.locate_journal(RUN).write_bytes(spoilt)

    assert "TRACE_CORRUPT" == find_error_code(log_opener().load_run, RUN)
    assert spoilt == read_journal(folders)


def test_a_damaged_line_of_another_writer_is_not_cut(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """An open log does not remove another writer's line that was damaged later."""
    add(log, 2)
    before = len(read_journal(folders))
    add(log_opener())
    content = bytearray(read_journal(folders))
    content[before] ^= 0x80
    folders.locate_journal(RUN).write_bytes(content)

    assert "TRACE_CORRUPT" == find_error_code(add, log)
    assert bytes(content) == read_journal(folders)


def test_a_reader_mends_as_a_writer_does(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """Reading a run after a crash repairs its files as writing does."""
    add(log, 2)
    log.close()
    tear(folders, b'{"seal":"')
    folders.locate_table(RUN).write_bytes(b"")
    log = log_opener()

    assert 3 == log.load_run(RUN).revision
    assert [] == list_codes(log)
    assert ["LOG_MENDED"] * 2 == [finding.code for finding in log.repairs]


def test_a_torn_line_of_a_dead_writer_is_cut_by_the_next(
    log: FileGateLog, folders: GateFolders
) -> None:
    """An open log removes the incomplete line of another writer, and continues after it."""
    add(log, 20)
    end = len(read_journal(folders).rstrip(b"\n")) + 1
    fd = os.open(folders.locate_journal(RUN), os.O_RDWR)
    os.pwrite(fd, b'{"seal":"00', end)
    os.close(fd)
    add(log)

    assert (22, []) == (log.load_run(RUN).revision, list_codes(log))
    assert ["LOG_MENDED"] == [finding.code for finding in log.repairs]


def test_the_record_of_a_dead_writer_counts(
    log: FileGateLog, log_opener: Callable[[], FileGateLog], folders: GateFolders
) -> None:
    """A complete record that was never acknowledged is kept, with its row and key."""
    other = log_opener()
    add(log, 2)
    add(other)
    size = folders.locate_table(RUN).stat().st_size
    add(other)
    os.truncate(folders.locate_table(RUN), size)
    with log.lock_run(RUN) as passage:
        assert 5 == passage.run.revision
        found = passage.find_by_key("key-5")

    assert found is not None
    assert 5 == found.revision
    assert [] == list_codes(log)


def test_a_lost_line_end_is_given_back(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A record that only lacks its line break is kept."""
    add(log, 2)
    log.close()
    whole = read_journal(folders)
    folders.locate_journal(RUN).write_bytes(whole[:-1])
    log = log_opener()

    assert 3 == log.load_run(RUN).revision
    assert whole == read_journal(folders)
    assert [] == list_codes(log)


def test_a_changed_record_stops_everything(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A complete line whose seal does not match is an error with its line, and is not removed."""
    add(log, 3)
    log.close()
    changed = read_journal(folders).replace(b"key-3", b"key-9")
    folders.locate_journal(RUN).write_bytes(changed)
    log = log_opener()

    with pytest.raises(StoreError) as caught:
        log.load_run(RUN)
    assert ("TRACE_CORRUPT", 3) == (caught.value.code, caught.value.details["line"])
    assert "TRACE_CORRUPT" == find_error_code(lambda: add(log))
    assert ["TRACE_CORRUPT"] == list_codes(log)
    assert changed == read_journal(folders)


def test_a_record_fits_no_other_run(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A run copied under another id is corrupt at its first line."""
    add(log, 2)
    log.close()
    for path in (folders.locate_journal, folders.locate_table):
        shutil.copy(path(RUN), path(make_run_id(2)))
    log = log_opener()

    for does in (log.load_run, lambda run: add(log, run=run)):
        with pytest.raises(StoreError) as caught:
            does(make_run_id(2))
        assert ("TRACE_CORRUPT", 1) == (caught.value.code, caught.value.details["line"])
    assert ["TRACE_CORRUPT"] == [finding.code for finding in log.find_faults(make_run_id(2))]
    assert 3 == log.load_run(RUN).revision


def test_a_broken_line_before_whole_ones_is_no_torn_one(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A damaged line before complete ones is not removed."""
    add(log, 3)
    log.close()
    lines = read_journal(folders).split(b"\n")
    lines[2] = b"\0" * len(lines[2])
    content = b"\n".join(lines)
    folders.locate_journal(RUN).write_bytes(content)

    assert "TRACE_CORRUPT" == find_error_code(lambda: log_opener().load_run(RUN))
    assert content == read_journal(folders)


def test_a_record_out_of_order_is_seen_though_its_seal_fits(
    folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A gap in the revisions is an error, even if the seals match."""
    log = log_opener()
    log.create(RUN, FIRST, DOOR)
    before, line = gate_journal.seal_line(compute_first_seal(RUN), encode_entry(FIRST))
    odd = make_next_record(log.load_run(RUN), revision=4)
    tear(folders, gate_journal.seal_line(before, encode_entry(odd))[1])
    log.close()

    assert "TRACE_CORRUPT" == find_error_code(lambda: log.load_run(RUN))
    assert ["TRACE_CORRUPT"] == list_codes(log)
    assert line == read_journal(folders)[: len(line)]


def test_a_row_that_no_record_explains_stops_writing(
    log: FileGateLog, folders: GateFolders
) -> None:
    """A table with a row that no record explains is an error, and is not changed."""
    with folders.locate_table(RUN).open("ab") as stream:
        stream.write(b"2026-01-01T00:00:00Z,open,2,open,k,\r\n")
    content = folders.locate_table(RUN).read_bytes()

    assert "LOG_DIVERGED" == find_error_code(lambda: add(log))
    assert "LOG_DIVERGED" == find_error_code(lambda: log.load_run(RUN))
    assert ["LOG_DIVERGED"] == list_codes(log)
    assert content == folders.locate_table(RUN).read_bytes()

    folders.locate_table(RUN).unlink()
    add(log)
    assert [] == list_codes(log)


def test_faults_see_what_size_does_not(log: FileGateLog, folders: GateFolders) -> None:
    """A changed row is reported even if the table's size is the same."""
    add(log, 2)
    content = folders.locate_table(RUN).read_bytes().replace(b"knock", b"knack", 1)
    folders.locate_table(RUN).write_bytes(content)

    (finding,) = log.find_faults(RUN)
    assert ("LOG_DIVERGED", 3) == (finding.code, finding.where.line)


def test_faults_mend_nothing(log: FileGateLog, folders: GateFolders) -> None:
    """Listing the faults changes no file."""
    add(log, 3)
    log.close()
    os.truncate(folders.locate_table(RUN), 100)
    tear(folders, b"{")
    before = (read_journal(folders), folders.locate_table(RUN).read_bytes())

    assert ["TRACE_CORRUPT", "LOG_BEHIND"] == list_codes(log)
    assert before == (read_journal(folders), folders.locate_table(RUN).read_bytes())


@pytest.mark.parametrize("other", [b"key-X", b"key-\xff", b'k","k'])
@pytest.mark.parametrize("soon", [4096, 1], ids=["by name", "in the index"])
def test_a_key_that_was_changed_under_an_open_log_is_not_free(
    log: FileGateLog, folders: GateFolders, monkeypatch: pytest.MonkeyPatch, soon: int, other: bytes
) -> None:
    """A key whose line was changed without changing the file's times is still not used again."""
    monkeypatch.setattr(key_index, "_WRITE_WHILE_OPEN", (soon, 1 << 30))
    add(log, 5)
    size = folders.locate_journal(RUN).stat().st_size
    with (
        folders.locate_journal(RUN).open("r+b") as stream,
        mmap.mmap(stream.fileno(), size) as memory,
    ):
        at = memory.find(b"key-3")
        memory[at : at + 5] = other
    for _ in range(2):
        with log.lock_run(RUN) as passage:
            again = make_next_record(passage.run, key="key-3")
            with pytest.raises(StoreError) as kept:
                passage.find_by_key("key-3")
            with pytest.raises(StoreError) as added:
                passage.append(again)

        assert "TRACE_CORRUPT" == kept.value.code == added.value.code
        assert 3 == kept.value.details["line"]
    assert 6 == read_journal(folders).rstrip(b"\n").count(b"\n") + 1
