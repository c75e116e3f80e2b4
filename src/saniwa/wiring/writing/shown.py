"""Findings and errors as somebody elsewhere may read them: no folder of ours in them."""

from pathlib import Path

import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.where import Where


def shown_finding(finding: Finding, folder: Path) -> Finding:
    """A finding that names files as seen from their folder."""
    return msgspec.structs.replace(
        finding,
        message=_short(finding.message, folder),
        hint=_short(finding.hint, folder),
        where=_placed(finding.where, folder),
    )


def shown_error(problem: SaniwaError, folder: Path) -> SaniwaError:
    """The same error, naming files as seen from their folder; its findings are left out."""
    return type(problem)(
        str(problem.code),
        _short(problem.message, folder),
        where=_placed(problem.where, folder) if problem.where else None,
        # How to look at a file in a terminal is no cure for somebody elsewhere.
        hint=_short(problem.hint, folder).partition("; check it: saniwa ")[0],
        recoverable=problem.recoverable,
    )


def _placed(where: Where, folder: Path) -> Where:
    return msgspec.structs.replace(where, file=_short(where.file, folder))


def _short(text: str, folder: Path) -> str:
    return text.replace(f"{folder}/", "") if str(folder) != "." else text
