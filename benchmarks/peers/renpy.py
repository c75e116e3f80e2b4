"""Ren'Py, a program of the system's: no package index has it."""

import os
import re
import shutil
from pathlib import Path

from benchmarks.peers import PeerError, npm

NAME = "renpy"
LONGEST = 120
"""Seconds."""
MENDED = """\
python early:
    # Debian's Ren'Py 8.0 ends some expressions before their beginning, and Debian's own
    # Python 3.11 refuses that, so that without these lines no script is linted at all.
    import ast
    def _bench_compiled(loc, node, compiled=renpy.sl2.slast.compile_expr):
        for each in ast.walk(node):
            if hasattr(each, "lineno"):
                each.end_lineno, each.end_col_offset = each.lineno, each.col_offset
        return compiled(loc, node)
    renpy.sl2.slast.compile_expr = _bench_compiled
"""


def find_program() -> str:
    """Where it is.

    Raises:
        PeerError: It is not on this machine.
    """
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
    found = shutil.which(NAME, path=places)
    if found is None:
        raise PeerError("there is no renpy on this machine; it is a package of Debian's")
    return found


def find_version() -> str:
    """Its version.

    Raises:
        PeerError: It will not say.
    """
    said = npm.run_command([find_program(), "--version"], _make_headless_environment(), LONGEST)
    found = re.search(r"\d+(?:\.\d+)+", said)
    return found[0] if found else "unknown"


def lint_script(script: str, folder: Path) -> None:
    """Lint the script in a folder that is not there yet.

    Raises:
        PeerError: It did not get through it.
    """
    game = folder / "game"
    game.mkdir(parents=True)
    (game / "script.rpy").write_text(script, encoding="utf-8")
    (game / "mended.rpy").write_text(MENDED, encoding="utf-8")
    said = npm.run_command([find_program(), folder, "lint"], _make_headless_environment(), LONGEST)
    if "Lint is not a substitute" not in said:
        raise PeerError(f"renpy lint did not end: {said.strip()[-80:]!r}")


def _make_headless_environment() -> dict[str, str]:
    """No window and no sound."""
    return {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
