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
from pathlib import Path
from typing import NoReturn

import saniwa
from saniwa.cli.main import main

_LEFT_OUT = ("saniwa.__main__", "saniwa.integrations")
"""What few commands need, and import themselves."""
_LATE = ("matplotlib.figure", "scipy.stats", "statsmodels.stats.multitest", "uvicorn")
"""What commands import only when they need it, and takes a second or more."""


def serve_commands(path: str) -> None:
    """Fork a child for every command, until nobody can ask for one any more."""
    _import_package()
    # What lives as long as this process is not looked through by any child.
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(32)
        os.write(1, b"ready\n")
        # Children are not waited for.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while sys.stdin.fileno() not in (ready := _wait(door)):
            assert door.fileno() in ready
            line, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _watch_command(line)
            line.close()


def _wait(door: socket.socket) -> list[int]:
    ready, _, _ = select.select([sys.stdin.fileno(), door.fileno()], [], [])
    return [int(each) for each in ready]


def _import_package() -> None:
    for found in pkgutil.walk_packages(saniwa.__path__, "saniwa."):
        if not found.name.startswith(_LEFT_OUT):
            importlib.import_module(found.name)
    for name in _LATE:
        importlib.import_module(name)


def _watch_command(line: socket.socket) -> NoReturn:
    """Fork the command itself, and report its id and then its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(line, 4, 3)
    content = b""
    while len(content) < int.from_bytes(size):
        content += line.recv(1 << 16)
    pid = os.fork()
    if pid == 0:
        line.close()
        _run_command(content, streams)
    line.sendall(pid.to_bytes(4))
    _, status = os.waitpid(pid, 0)
    line.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, signed=True))
    os._exit(0)


def _run_command(content: bytes, streams: list[int]) -> NoReturn:
    folder, environment, words = json.loads(content)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # As Python opens them when it starts.
    through = bool(environment.get("PYTHONUNBUFFERED"))
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), "utf-8", sys.stdin.errors)  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(
        open(1, "wb", closefd=False),  # noqa: SIM115
        "utf-8",
        sys.stdout.errors,
        write_through=through,
    )
    sys.stderr = io.TextIOWrapper(
        open(2, "wb", closefd=False),  # noqa: SIM115
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
            # As `python -m saniwa` has it.
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
    """What `python WORDS` does."""
    sys.argv = words
    script = Path(words[0]).resolve()
    sys.path[0] = str(script.parent)
    runpy.run_path(str(script), run_name="__main__")


def _end_process(code: object) -> NoReturn:
    """End as Python does, without taking every module apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    serve_commands(sys.argv[1])
