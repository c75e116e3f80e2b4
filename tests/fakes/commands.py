"""`saniwa` commands for tests: real processes that need not import everything anew.

One process per test run imports the package. Each command is a fork of it, with its own
folder, environment, streams and exit code. A shell finds the same commands in the folder
of `get_shim_folder`. Tests whose subject is the process itself (how it starts, what it
imports, how it is killed) start one with `subprocess`.
"""

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 600


def run_command(
    folder: Path,
    *words: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    merged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """`saniwa WORDS` in a folder, to its end; `merged` puts both outputs into the first."""
    known = dict(os.environ if environment is None else environment)
    request = json.dumps([str(folder), known, ["saniwa", *words]]).encode()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        socket.socket(socket.AF_UNIX) as line,
    ):
        line.settimeout(_PATIENCE)
        line.connect(str(_start_parent() / "socket"))
        files = [_fill(given, stdin), out.fileno(), (out if merged else err).fileno()]
        socket.send_fds(line, [len(request).to_bytes(4)], files)
        line.sendall(request)
        code = _wait_for_code(line, words)
        said, complaints = (_read_again(each) for each in (out, err))
    return subprocess.CompletedProcess(words, code, said, complaints)


@functools.cache
def get_shim_folder() -> Path:
    """The folder with `saniwa` and `python` for the PATH of a shell; both fork."""
    folder = _start_parent()
    code = (_ROOT / "tests/fakes/command_shim.py").read_text(encoding="utf-8")
    for name in ("saniwa", "python"):
        path = folder / name
        path.write_text(f"#!{sys.executable} -IS\n{code}", encoding="utf-8")
        path.chmod(0o755)
    return folder


def _fill(file: IO[bytes], content: bytes) -> int:
    file.write(content)
    file.flush()
    file.seek(0)
    return file.fileno()


def _read_again(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _wait_for_code(line: socket.socket, words: tuple[str, ...]) -> int:
    pid = int.from_bytes(line.recv(4))
    try:
        told = line.recv(4)
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"saniwa {' '.join(words)}: no end in {_PATIENCE} s") from None
    assert told, "the parent of all commands is gone"
    return int.from_bytes(told, signed=True)


@functools.cache
def _start_parent() -> Path:
    """The folder with the socket of the process that forks; it lives as long as this one."""
    folder = Path(tempfile.mkdtemp(prefix="saniwa-commands-"))
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.command_parent", folder / "socket"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    assert b"ready\n" == parent.stdout.readline()

    def end() -> None:
        parent.communicate()
        shutil.rmtree(folder)

    atexit.register(end)
    return folder
