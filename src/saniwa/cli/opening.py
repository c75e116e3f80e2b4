"""Opens a page in whatever browser there is, and says so where there is none."""

import shutil
import subprocess
import sys
from threading import Thread

import click

_NONE = "note: no browser could be opened here; open the address yourself"


def open_page(address: str) -> None:
    """Show the address in a browser, without waiting for it."""
    if sys.platform in ("darwin", "win32"):
        click.launch(address)
    else:
        Thread(target=_open, args=(address,), daemon=True).start()


def _open(address: str) -> None:
    """Ask the desktop; what it and the browser have to say is not for this terminal."""
    program = shutil.which("xdg-open")
    if program is None or _ends_badly(program, address):
        click.echo(_NONE, err=True)


def _ends_badly(program: str, address: str) -> bool:
    silent = subprocess.DEVNULL
    done = subprocess.run(
        [program, address], stdin=silent, stdout=silent, stderr=silent, check=False
    )
    return done.returncode != 0
