"""Credentials: in a file, in the environment, or asked for at a terminal."""

import os
import sys
from pathlib import Path

import click

from saniwa.cli.gate.lines import warn
from saniwa.cli.gate.values import content_of

_LARGEST = 10_000
"""Bytes of a file that could hold a credential."""
_OTHERS = 0o077
"""The rights that nobody but the owner should have."""


def credential_in(file: str) -> str:
    """The credential in a file: its first line."""
    content = content_of(file, "--credential-file", _LARGEST)
    if os.name == "posix" and Path(file).stat().st_mode & _OTHERS:
        warn(f"others can read {file!r}; keep it to yourself: chmod 600 {file}")
    first, _, _ = content.partition(b"\n")
    return first.decode("utf-8", "surrogateescape").strip()


def credential_of(file: str | None, asking: str = "Name") -> str | None:
    """The credential: in the file, else in the environment, else asked for."""
    if file is not None:
        return credential_in(file)
    if os.environ.get("STATE_GATE_CREDENTIAL") or not is_terminal():
        return None
    name = click.prompt(asking, err=True)
    secret = click.prompt("Passphrase", hide_input=True, err=True)
    return f"{name}:{secret}"


def is_terminal() -> bool:
    """Whether somebody sits here who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
