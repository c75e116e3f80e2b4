"""Evidence that was not found: where it was looked for, and how it would be named."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from saniwa.cli.gate.door import SEE_RUNS

if TYPE_CHECKING:
    from saniwa.cli.gate.door import Opened
    from saniwa.process.ruling import Refused, Ruling


def with_cure(
    ruling: "Ruling", door: "Opened", run_id: str, paths: tuple[str, ...]
) -> "Ruling":
    """The ruling, with what somebody at this desk can do about a refusal."""
    from saniwa.process.ruling import Refused

    if not isinstance(ruling, Refused):
        return ruling
    if ruling.code == "RUN_NOT_FOUND":
        return replace(ruling, hint=SEE_RUNS)
    if ruling.code == "INVALID_PAYLOAD" and paths:
        return _looked(ruling, door, run_id, paths)
    return ruling


def _looked(
    ruling: "Refused", door: "Opened", run_id: str, paths: tuple[str, ...]
) -> "Refused":
    folder = door.gate.log.standing(run_id).opening.folder
    home = Path(door.gate.evidence.home(run_id, folder))
    gone = [path for path in paths if not os.path.lexists(home / path)]
    if not gone:
        return ruling
    hints = [f"looked in {home}", *(_named(path, home) for path in gone[:3])]
    return replace(ruling, hint="; ".join(filter(None, hints)))


def _named(path: str, home: Path) -> str:
    """How a file that is there, seen from here, would be handed in."""
    here = Path(path)
    try:
        if not here.is_file():
            return ""
    except OSError:  # a name that no system could hold
        return ""
    inside = os.path.relpath(here, home)
    if inside.startswith(".."):
        return f"put it into {home}"
    return f"name it: --artifact {inside}"
