import os
import threading

import anyio
import pytest

from saniwa.mcp import stdio
from saniwa.mcp.stdio import DescriptorLines


def read_lines(*chunks: bytes) -> list[str]:
    """The lines read when these pieces arrive one after another."""
    ear, mouth = os.pipe()

    def speak() -> None:
        with os.fdopen(mouth, "wb", buffering=0) as out:
            for chunk in chunks:
                out.write(chunk)

    async def listen() -> list[str]:
        with anyio.fail_after(20):
            return [line async for line in DescriptorLines(ear)]

    threading.Thread(target=speak).start()
    try:
        return anyio.run(listen)
    finally:
        os.close(ear)


def test_lines_come_whole_however_they_arrive() -> None:
    """Several lines in one piece, and one line in several pieces, are read correctly."""
    assert ["one", "two", "three"] == read_lines(b"one\ntw", b"o\nthree\n")


def test_only_a_newline_ends_a_line() -> None:
    """Only a newline ends a line, not Unicode's other line separators."""
    assert ["a\u2028b\x85\x0bc"] == read_lines("a\u2028b\x85\x0bc\n".encode())


def test_an_unfinished_line_is_not_heard() -> None:
    """A line without a newline at the end of input is ignored."""
    assert ["one"] == read_lines(b"one\nhalf")


def test_bytes_that_are_no_text_are_heard_as_such() -> None:
    """Bytes that are not UTF-8 become replacement characters."""
    assert ["\ufffd{}"] == read_lines(b"\xff{}\n")


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is too long is read as empty, without storing it."""
    monkeypatch.setattr(stdio, "LONGEST_LINE", 10)

    heard = read_lines(b"x" * 11, b"x" * 100_000, b"x\n0123456789\n", b"y" * 50 + b"\nz\n")

    assert ["", "0123456789", "", "z"] == heard


def test_leaving_does_not_wait_for_the_next_line() -> None:
    """Cancelling does not wait for the next line."""
    ear, mouth = os.pipe()

    async def listen() -> None:
        with anyio.move_on_after(0.01):
            async for _ in DescriptorLines(ear):
                pass

    anyio.run(listen)

    os.write(mouth, b"too late\n")
    os.close(mouth)
    os.close(ear)
