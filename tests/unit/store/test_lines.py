import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import StoreError
from saniwa.store import json_lines_file
from saniwa.store.json_lines_file import JsonLinesFile

_ENTRIES: list[dict[str, Any]] = [{"a": 1}, {"b": "鍵\n\u2028\x85"}, {"c": [None, 0.5]}]


def _write_entries(path: Path, *entries: dict[str, Any]) -> JsonLinesFile:
    lines = JsonLinesFile(path)
    for entry in entries:
        lines.append(entry)
    lines.close()
    return lines


def test_entries_come_back_in_order(tmp_path: Path) -> None:
    """Entries are read back in order, with any characters."""
    path = tmp_path / "deep" / "er" / "t.jsonl"

    _write_entries(path, *_ENTRIES)

    assert _ENTRIES == list(JsonLinesFile(path).read_entries())
    assert 3 == path.read_bytes().count(b"\n")


def test_the_same_entries_are_the_same_bytes(tmp_path: Path) -> None:
    """Equal entries give equal bytes, because keys are sorted."""
    _write_entries(tmp_path / "a", {"x": 1, "y": 2})
    _write_entries(tmp_path / "b", {"y": 2, "x": 1})

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_that_is_not_there_has_no_entries(tmp_path: Path) -> None:
    """A missing file has no entries, and reading does not create it."""
    assert [] == list(JsonLinesFile(tmp_path / "none").read_entries())
    assert [] == list(tmp_path.iterdir())


def test_a_file_continues_where_it_ended(tmp_path: Path) -> None:
    """A file that is opened again is appended to."""
    path = tmp_path / "t"

    _write_entries(path, _ENTRIES[0])
    _write_entries(path, _ENTRIES[1])

    assert _ENTRIES[:2] == list(JsonLinesFile(path).read_entries())


@given(torn=st.integers(1, 8))
def test_a_torn_end_is_read_over_and_cut_off_by_the_next_writer(
    torn: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An incomplete last line is skipped by readers, and removed by the next writer."""
    path = tmp_path_factory.mktemp("torn") / "t"
    _write_entries(path, {"first": 1}, {"second": "2" * 50})
    whole = path.read_bytes()
    path.write_bytes(whole[:-torn])

    assert [{"first": 1}] == list(JsonLinesFile(path).read_entries())

    lines = JsonLinesFile(path)
    lines.append({"third": 3})
    lines.close()

    assert [{"first": 1}, {"third": 3}] == list(JsonLinesFile(path).read_entries())
    assert 2 == path.read_bytes().count(b"\n")
    assert ["LOG_MENDED"] == [finding.code for finding in lines.repairs]


def test_a_whole_file_needs_no_mending(tmp_path: Path) -> None:
    """A complete file needs no repair."""
    _write_entries(tmp_path / "t", *_ENTRIES)

    assert [] == _write_entries(tmp_path / "t", _ENTRIES[0]).repairs


def test_only_one_may_write(tmp_path: Path) -> None:
    """A second writer is refused with a recoverable error, and readers are not affected."""
    path = tmp_path / "t"
    first = JsonLinesFile(path)
    first.append(_ENTRIES[0])

    with pytest.raises(StoreError) as caught:
        JsonLinesFile(path).append(_ENTRIES[1])

    assert ("STORE_BUSY", True) == (caught.value.code, caught.value.recoverable)
    assert _ENTRIES[:1] == list(JsonLinesFile(path).read_entries())

    first.close()
    _write_entries(path, _ENTRIES[1])

    assert _ENTRIES[:2] == list(JsonLinesFile(path).read_entries())


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'"a"', b'{"a": \xff}', b'{"a":"\xff"}', b'{"a":' * 9_000, b""],
    ids=lambda line: repr(line[:12]),
)
def test_a_line_that_is_no_entry_is_an_error_with_its_number(line: bytes, tmp_path: Path) -> None:
    """A malformed line is an error with its number, after the entries before it."""
    path = tmp_path / "t"
    path.write_bytes(b'{"a":1}\n' + line + b"\n")
    entries = JsonLinesFile(path).read_entries()

    assert {"a": 1} == next(entries)
    with pytest.raises(StoreError) as caught:
        next(entries)
    assert ("TRACE_CORRUPT", 2) == (caught.value.code, caught.value.details["line"])


def test_a_line_that_is_too_long_is_neither_written_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line over the limit is neither written nor read."""
    path = tmp_path / "t"
    _write_entries(path, {"a": "x" * 200})
    monkeypatch.setattr(json_lines_file, "LONGEST_LINE", 100)

    with pytest.raises(StoreError) as written:
        _write_entries(tmp_path / "other", {"a": "x" * 200})
    with pytest.raises(StoreError) as read:
        list(JsonLinesFile(path).read_entries())

    assert ("TRACE_UNWRITABLE", "STORE_UNREADABLE") == (written.value.code, read.value.code)


def test_what_cannot_be_written_is_not_there_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed or partial write is removed, and the entries before it stay."""
    path = tmp_path / "t"
    lines = JsonLinesFile(path)
    lines.append(_ENTRIES[0])
    real = os.pwrite

    def write_half(fd: int, content: bytes, offset: int) -> int:
        return real(fd, content[: len(content) // 2], offset)

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", write_half)
        with pytest.raises(StoreError) as caught:
            lines.append(_ENTRIES[1])

    assert ("TRACE_UNWRITABLE", True) == (caught.value.code, caught.value.recoverable)
    assert [_ENTRIES[0]] == list(JsonLinesFile(path).read_entries())
    assert path.read_bytes().endswith(b'"}\n')

    lines.append(_ENTRIES[2])
    lines.close()

    assert [_ENTRIES[0], _ENTRIES[2]] == list(JsonLinesFile(path).read_entries())


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_not_a_regular_file_is_refused(make: Any, tmp_path: Path) -> None:
    """A pipe and a folder are refused without waiting."""
    path = tmp_path / "t"
    make(path)

    with pytest.raises(StoreError) as read:
        list(JsonLinesFile(path).read_entries())
    with pytest.raises(StoreError) as written:
        _write_entries(path, _ENTRIES[0])

    assert ("STORE_UNREADABLE", "TRACE_UNWRITABLE") == (read.value.code, written.value.code)


def test_only_its_owner_may_read_a_new_file(tmp_path: Path) -> None:
    """A new file can be read by its owner only."""
    _write_entries(tmp_path / "t", _ENTRIES[0])

    assert 0o600 == (tmp_path / "t").stat().st_mode & 0o777


def test_only_what_must_last_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry is synced if requested, and all are at the end."""
    synced: list[int] = []
    real = os.fdatasync

    def note_and_sync(fd: int) -> None:
        synced.append(fd)
        real(fd)

    monkeypatch.setattr(os, "fdatasync", note_and_sync)
    lines = JsonLinesFile(tmp_path / "t")
    lines.append(_ENTRIES[0])
    counts = [len(synced)]
    for lasting in (True, False):
        lines.append(_ENTRIES[0], lasting=lasting)
        counts.append(len(synced))
    lines.close()

    assert [0, 1, 1, 2] == [*counts, len(synced)]


def test_a_closed_file_takes_nothing_more(tmp_path: Path) -> None:
    """A closed file refuses entries."""
    lines = _write_entries(tmp_path / "t", _ENTRIES[0])

    with pytest.raises(StoreError, match="it is closed") as caught:
        lines.append(_ENTRIES[1])

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert _ENTRIES[:1] == list(lines.read_entries())


def test_a_file_that_cannot_be_opened_says_so_at_once(tmp_path: Path) -> None:
    """A file that cannot be opened is an error before the first entry."""
    (tmp_path / "t").mkdir()

    with pytest.raises(StoreError) as caught:
        JsonLinesFile(tmp_path / "t").open()

    assert "TRACE_UNWRITABLE" == caught.value.code


def test_a_line_that_is_not_what_was_written_is_damage(tmp_path: Path) -> None:
    """A changed character is reported with its line, even if the line is still JSON."""
    path = tmp_path / "t"
    _write_entries(path, {"said": "left"}, {"said": "right"})
    path.write_bytes(path.read_bytes().replace(b"right", b"tight"))

    entries = JsonLinesFile(path).read_entries()
    assert {"said": "left"} == next(entries)
    with pytest.raises(StoreError, match="line 2 of 't' is corrupt"):
        next(entries)
