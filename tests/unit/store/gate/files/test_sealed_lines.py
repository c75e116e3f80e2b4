import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.store.gate.run_journal import (
    LONGEST_LINE,
    SealedLineReader,
    check_line,
    extract_body,
    find_line_number,
    seal_line,
)
from saniwa.store.sealed_log import compute_first_seal, compute_seal

START = compute_first_seal("run-1")
BODIES = [b'{"n":1}', b'{"n":"\\u2028\\n"}', '{"n":"鍵"}'.encode(), b'{"n":[{}]}']


def _seal_lines(bodies: list[bytes]) -> bytes:
    content, before = b"", START
    for body in bodies:
        before, line = seal_line(before, body)
        content += line
    return content


@contextmanager
def _open_file(content: bytes) -> Iterator[int]:
    with TemporaryFile() as file:
        file.write(content)
        file.flush()
        yield file.fileno()


def test_a_line_is_the_entry_with_its_seal_in_front() -> None:
    """A line is JSON with the seal as its first key, and contains the entry's bytes."""
    sealed, line = seal_line(START, b'{"kind":"note"}')

    assert b'{"seal":"%b","kind":"note"}\n' % sealed.hex().encode() == line
    assert b'{"kind":"note"}' == extract_body(line[:-1])
    assert sealed == compute_seal(START, b'{"kind":"note"}') == check_line(START, line[:-1])
    assert b"" == check_line(sealed, line[:-1])


@pytest.mark.parametrize("room", [0, 1, 2, 70_000])
def test_lines_are_read_as_they_were_written(room: int) -> None:
    """Lines are read in order, whatever room is reserved after the last."""
    content = _seal_lines(BODIES * 40)
    with _open_file(content + b"\n" * room) as fd:
        reading = SealedLineReader(fd, 0, START)

        assert BODIES * 40 == [body for _, _, body in reading]
        assert len(content) == reading.end
        assert reading.clean
        assert 0 == reading.count_torn_bytes()


@given(st.integers(0, 300), st.integers(0, 255))
def test_no_changed_byte_goes_unnoticed(at: int, byte: int) -> None:
    """A changed byte ends the reading before its line."""
    content = bytearray(_seal_lines(BODIES))
    at %= len(content)
    changed = content[at] != byte
    content[at] = byte
    with _open_file(bytes(content)) as fd:
        read = [body for _, _, body in SealedLineReader(fd, 0, START)]

    assert changed == (read != BODIES)
    assert read == BODIES[: len(read)]


@given(st.integers(0, 300), st.sampled_from([b"", b"\n", b"\n" * 5000, b"\0" * 700]))
def test_a_torn_line_is_distinguished_from_a_broken_one(cut: int, after: bytes) -> None:
    """A file cut anywhere ends at its last whole line, also with reserved room or NULs after it."""
    content = _seal_lines(BODIES)
    cut %= len(content)
    with _open_file(content[:cut] + after) as fd:
        reading = SealedLineReader(fd, 0, START)
        read = [body for _, _, body in reading]
        torn = reading.count_torn_bytes()

    ends = [len(_seal_lines(BODIES[:n])) for n in range(5)]
    whole = max(n for n in range(5) if (ends[n] - 1 <= cut and n <= len(read)) or n == 0)
    assert BODIES[:whole] == read
    left = (content[:cut] + after)[reading.end :]
    assert (len(left) if left.strip(b"\n") else 0) == torn


def test_left_overs_beyond_room_are_seen() -> None:
    """Data that a power cut left after empty lines is counted as torn."""
    content = _seal_lines(BODIES)
    with _open_file(content + b"\n" * 600 + b'":1}\n' + b"\n" * 9) as fd:
        reading = SealedLineReader(fd, 0, START)
        read = [body for _, _, body in reading]

        assert BODIES == read
        assert reading.clean
        assert 600 + 5 + 9 == reading.count_torn_bytes()


@pytest.mark.parametrize("between", [b"", b"\n\n", b"garbage\n", b"\0" * 512])
def test_a_whole_line_after_the_end_is_no_accident(between: bytes) -> None:
    """A whole line that does not follow is an error, not a torn line."""
    first, rest = _seal_lines(BODIES[:1]), _seal_lines(BODIES)[len(_seal_lines(BODIES[:2])) :]
    with _open_file(first + between + rest) as fd:
        reading = SealedLineReader(fd, 0, START)
        assert BODIES[:1] == [body for _, _, body in reading]

        with pytest.raises(ValueError, match="does not follow"):
            reading.count_torn_bytes()


def test_a_last_line_that_lacks_only_its_end_counts() -> None:
    """A last line without its line break is read, and reported as such."""
    content = _seal_lines(BODIES)
    with _open_file(content[:-1]) as fd:
        reading = SealedLineReader(fd, 0, START)

        assert BODIES == [body for _, _, body in reading]
        assert reading.unended
        assert len(content) == reading.end


def test_a_line_without_end_is_not_followed_for_ever() -> None:
    """Reading stops at the maximum length of a line."""
    with _open_file(b"x" * (LONGEST_LINE + (3 << 20))) as fd:
        reading = SealedLineReader(fd, 0, START)

        assert [] == list(reading)
        assert not reading.clean
        assert LONGEST_LINE + (3 << 20) == reading.count_torn_bytes()


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    """Lines are numbered from 1, and every line break counts."""
    path = tmp_path / "lines"
    path.write_bytes(b"a\nb\n\nc\n")
    fd = os.open(path, os.O_RDONLY)
    numbers = [find_line_number(fd, at) for at in (0, 2, 4, 5)]
    os.close(fd)

    assert [1, 2, 3, 4] == numbers
