"""Starts what the settings of an agent's host name, once: a hook, and the MCP server.

A host is started from a desktop or another shell, so no virtual environment is active in it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from saniwa.app.gate.agent_host_settings import InstallChoice

_LONGEST_SECONDS = 60
_CALL = b'{"session_id": "install", "stop_hook_active": true}'
"""A call of a hook whose answer is always empty."""


def find_program() -> str:
    """Return the command that starts Saniwa: its path, if a host would not find the name."""
    if shutil.which("saniwa", path=_list_search_path()):
        return "saniwa"
    started, beside = Path(sys.argv[0]), Path(sys.executable).with_name("saniwa")
    by_path = started.stem == "saniwa" and started.name != str(started)
    return str((started if by_path else beside).absolute())


def _list_search_path() -> str:
    """Return PATH without the folders of an active virtual environment."""
    own = [sys.prefix] if sys.prefix != sys.base_prefix else []
    environments = [each for each in (*own, os.environ.get("VIRTUAL_ENV")) if each]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if folder and not any(Path(folder).parent == Path(each) for each in environments)
    )


def find_start_problems(choice: InstallChoice) -> list[str]:
    """Say what a host could not start with these settings, each with its cure; start it here."""
    place = ["--dir", choice.gate] if choice.gate else []
    hook = _start([choice.program, "gate", "hook", "stop", *place], _CALL)
    if hook:
        return [f"the hooks and the server do not start: {hook}"]
    # Its input has ended already, so a server that can start ends at once.
    server = _start([choice.program, "mcp", "--only", "gate", *place], b"")
    return [f"the server 'saniwa' does not start: {server}"] if server else []


def _start(command: list[str], given: bytes) -> str:
    """Run a command; say why it failed, or nothing."""
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            timeout=_LONGEST_SECONDS,
            check=False,
            env=os.environ | {"PATH": _list_search_path()},
        )
    except FileNotFoundError:
        return f"{command[0]} is not found without a virtual environment; install again"
    except OSError as problem:
        return f"{command[0]}: {problem.strerror}; name the program: --command PATH"
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not end within {_LONGEST_SECONDS} seconds"
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if done.returncode == 0 else " ".join(told) or f"it ended with {done.returncode}"
