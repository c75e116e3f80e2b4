"""Readers used by commands: the input is files, the answer is all that is printed."""

import contextlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import click

from saniwa.cli.main import saniwa
from saniwa.cli.render import show_error
from saniwa.core.errors import SaniwaError
from tests.fuzz.fuzz_reader import Read, ReaderAnswer, split_parts

_CODES = {0, 1, 2, 3, 4}
_FOR_MACHINES = {"dump", "export", "hook", "host", "world"}


def make_command_reader(
    files: Sequence[str],
    *lines: Sequence[str],
    before: Callable[[Path], object] | None = None,
    stdin: bool = False,
) -> Read:
    """Write the input's parts to files and run the commands on them.

    `before` first creates the other files that are needed. With `stdin` the first part is the
    standard input.
    """

    def read(content: bytes, folder: Path) -> ReaderAnswer:
        if before is not None:
            before(folder)
        parts = split_parts(content, len(files) + stdin)
        given = parts.pop(0) if stdin else b""
        for name, part in zip(files, parts, strict=True):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part)
        with _enter_folder(folder):
            said = [run_command(line, given) for line in lines]
        seen = (each for each, line in zip(said, lines, strict=True) if _prints_for_people(line))
        shown = b"".join(seen).decode("utf-8", "backslashreplace")
        return ReaderAnswer(answer=b"".join(said), shown=shown)

    return read


def _prints_for_people(line: Sequence[str]) -> bool:
    """Whether a command prints for people, and not JSON or a table for machines."""
    return "--json" not in line and not _FOR_MACHINES & {*line[:2]}


def run_command(words: Sequence[str], given: bytes = b"") -> bytes:
    """What a command prints, with its exit code."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    stdin = io.TextIOWrapper(io.BytesIO(given), "utf-8")
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        patch("sys.stdin", stdin),
    ):
        code = _run(list(words))
    out.flush()
    assert code in _CODES, f"exit code {code}"
    printed: bytes = out.buffer.getvalue()
    return printed + f"({code})\n".encode()


def _run(words: list[str]) -> int:
    # As `saniwa.cli.main.main` does it, except that an unexpected error is not handled.
    try:
        with saniwa.make_context("saniwa", words) as made:
            saniwa.invoke(made)
    except click.exceptions.Exit as done:
        return done.exit_code
    except SaniwaError as problem:
        return show_error(problem, as_json="--json" in words)
    except click.ClickException as problem:
        problem.show()
        return 2
    return 0


@contextlib.contextmanager
def _enter_folder(folder: Path) -> Iterator[None]:
    """Run in the folder, without the environment variables of Saniwa."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("SANIWA")}
    with contextlib.chdir(folder), patch.dict(os.environ, plain, clear=True):
        yield
