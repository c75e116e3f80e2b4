"""A process that has imported Saniwa and forks one child per command; see `commands`.

It ends when its standard input is closed.
"""

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import saniwa
from saniwa.cli.main import main

_LEFT_OUT = ("saniwa.__main__", "saniwa.integrations", "saniwa.app.inspect_ai_tasks")
"""Modules that few commands need, which import them themselves."""
_WHOLE_ONLY = ("saniwa.lsp", "saniwa.mcp")
_LATE = ("matplotlib.figure", "scipy.stats", "statsmodels.stats.multitest")
"""Modules that commands import only when needed, and that take a second or more."""


def serve_commands(path: str, extent: str) -> None:
    """Fork a child for every command, until the standard input is closed.

    A fork takes longer the more is imported: a `whole` parent has imported everything, and a
    `light` one what most commands need.
    """
    _import_package(is_whole=extent == "whole")
    # The garbage collector of a child need not look at what the parent has imported.
    gc.freeze()
    ended, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(32)
        os.write(1, b"ready\n")
        watched = [sys.stdin.fileno(), door.fileno(), ended]
        while sys.stdin.fileno() not in (ready := select.select(watched, [], [])[0]):
            if ended in ready:
                os.read(ended, 1 << 10)
                _report_ended(running)
            if door.fileno() in ready:
                line, _ = door.accept()
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for each in (
                        ended,
                        end,
                        door.fileno(),
                        *map(socket.socket.fileno, running.values()),
                    ):
                        os.close(each)
                    _hear_command(line)
                running[pid] = line
                _send_number(line, pid)


def _import_package(*, is_whole: bool) -> None:
    left_out = _LEFT_OUT if is_whole else (*_LEFT_OUT, *_WHOLE_ONLY)
    for found in pkgutil.walk_packages(saniwa.__path__, "saniwa."):
        if not found.name.startswith(left_out):
            importlib.import_module(found.name)
    for name in ("jsonschema_rs", "rapidfuzz.process", "uvicorn", *(_LATE if is_whole else ())):
        importlib.import_module(name)


def _report_ended(running: dict[int, socket.socket]) -> None:
    """Send the exit code of each child that has ended."""
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            break
        with running.pop(pid) as line:
            _send_number(line, os.waitstatus_to_exitcode(status))


def _send_number(line: socket.socket, number: int) -> None:
    # The process that asked may have been killed.
    with suppress(BrokenPipeError, ConnectionResetError):
        line.sendall(number.to_bytes(4, signed=True))


def _hear_command(line: socket.socket) -> NoReturn:
    """Read the command of this child, and run it."""
    with line:
        size, streams, _, _ = socket.recv_fds(line, 4, 3)
        content = b""
        while len(content) < int.from_bytes(size):
            content += (more := line.recv(1 << 16))
            if not more:
                os._exit(1)
    _run_command(content, streams)


def _run_command(content: bytes, streams: list[int]) -> NoReturn:
    folder, environment, words = json.loads(content)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # As Python opens them at startup.
    through = bool(environment.get("PYTHONUNBUFFERED"))
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), "utf-8", sys.stdin.errors)  # noqa: SIM115 - stays open
    sys.stdout = io.TextIOWrapper(
        open(1, "wb", closefd=False),  # noqa: SIM115 - stays open
        "utf-8",
        sys.stdout.errors,
        write_through=through,
    )
    sys.stderr = io.TextIOWrapper(
        open(2, "wb", closefd=False),  # noqa: SIM115 - stays open
        "utf-8",
        "backslashreplace",
        line_buffering=True,
    )
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        if words[0] == "python":
            _run_script(words[1:])
        else:
            sys.argv = words
            # As `python -m saniwa` does it.
            sys.path[0] = folder
            main()
        code: object = 0
    except SystemExit as ended:
        code = ended.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    except BaseException:  # noqa: BLE001 - as Python ends a script
        traceback.print_exc()
        code = 1
    _end_process(code)


def _run_script(words: list[str]) -> None:
    """Do what `python WORDS` does."""
    sys.argv = words
    script = Path(words[0]).resolve()
    sys.path[0] = str(script.parent)
    runpy.run_path(str(script), run_name="__main__")


def _end_process(code: object) -> NoReturn:
    """End as Python does, without unloading every module."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    serve_commands(*sys.argv[1:])
