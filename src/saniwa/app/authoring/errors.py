"""Errors about authored files, each with a hint on how to fix it.

Messages name files relative to their folder, never the server's paths.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value


def redact_finding(finding: Finding, folder: Path) -> Finding:
    """Return a finding that names files relative to `folder`."""
    return msgspec.structs.replace(
        finding,
        message=_redact_text(finding.message, folder),
        hint=_redact_text(finding.hint, folder),
        where=_redact_where(finding.where, folder),
    )


def redact_error(problem: SaniwaError, folder: Path) -> SaniwaError:
    """Return the error with files relative to `folder`, without its findings."""
    return type(problem)(
        str(problem.code),
        _redact_text(problem.message, folder),
        where=_redact_where(problem.where, folder) if problem.where else None,
        # A hint to run a terminal command does not help a user of another interface.
        hint=_redact_text(problem.hint, folder).partition("; check it: saniwa ")[0],
        recoverable=problem.recoverable,
    )


@contextmanager
def redact_errors(folder: Path) -> Iterator[None]:
    """Raise errors of the block as `redact_error` returns them."""
    try:
        yield
    except SaniwaError as problem:
        raise redact_error(problem, folder) from problem


def _redact_where(where: SourceLocation, folder: Path) -> SourceLocation:
    return msgspec.structs.replace(where, file=_redact_text(where.file, folder))


def _redact_text(text: str, folder: Path) -> str:
    return text.replace(f"{folder}/", "") if str(folder) != "." else text


def make_read_only_error(what: str, id: str) -> ScriptError:
    """Build the error for a change to something shipped with Saniwa."""
    return ScriptError(
        "READ_ONLY",
        f"the {what} {quote_value(id)} comes with Saniwa and is only read",
        hint="make a copy under a name of your own, and change that",
        details={what: id},
    )


def make_exists_error(what: str, id: str) -> ScriptError:
    """Build the error for a name that is already used."""
    return ScriptError(
        "FILE_EXISTS",
        f"there is a {what} {quote_value(id)} already",
        hint="choose another name; nothing is ever written over",
        details={what: id},
    )


def make_unusable_name_error(what: str, id: str) -> ScriptError:
    """Build the error for an invalid name."""
    return ScriptError(
        "NAME_UNUSABLE",
        f"{quote_value(id)} cannot be the name of a {what}",
        hint="use small letters, digits and '-', and begin with a letter or digit",
        details={"name": id},
    )


def make_outside_error(name: str) -> ScriptError:
    """Build the error for a name that leads out of a story's folder."""
    return ScriptError(
        "FILE_OUTSIDE",
        f"{quote_value(name)} is no file of the story's own folder",
        hint="name a file of the story, such as 'chapters/two.md'",
        details={"file": name},
    )


def make_conflict_error(name: str, seen: str, current: str) -> StoreError:
    """Build the error for a file that another writer has changed meanwhile."""
    return StoreError(
        "REVISION_CONFLICT",
        f"{quote_value(name)} is no longer what it was when it was read",
        hint="read it again, and put both together",
        details={"file": name, "seen": seen, "current": current},
    )


def make_unwritable_error(name: str, why: str) -> StoreError:
    """Build the error for a file that cannot be written."""
    return StoreError(
        "FILE_UNWRITABLE",
        f"{quote_value(name)} cannot be written: {why}",
        hint="see whether the folder may be written to, and the disk has room",
        details={"file": name},
    )
