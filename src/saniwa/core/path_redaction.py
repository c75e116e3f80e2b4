"""Removing the folders of this machine from paths, findings and errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any

import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation

_PUBLISHED = ("experiments", "scenarios")


def to_public_path(path: str) -> str:
    """Convert a path for the records of a run: never an absolute one.

    An absolute path is reduced to the published folders if it contains them, and to the
    file's name otherwise.
    """
    parts = PurePath(path).parts
    if not PurePath(path).is_absolute():
        return PurePath(path).as_posix()
    for start in range(len(parts) - 2, 0, -1):
        if parts[start : start + 2] == _PUBLISHED:
            return "/".join(parts[start:])
    return parts[-1]


class PathRedactor:
    """Replaces the paths of files in an error by their names."""

    def __init__(self, where: SourceLocation | None, details: dict[str, Any]) -> None:
        """Collect the files that an error names."""
        named = [where.file] if where is not None else []
        found = {each for each in (*named, *_find_files(details)) if _is_absolute(each)}
        # Longest first, because one may be the beginning of another.
        self._shown = {each: to_public_path(each) for each in sorted(found, key=len, reverse=True)}

    def redact_location(self, where: SourceLocation | None) -> str:
        """Return a place in a file, with the file's name only."""
        if where is None or not where.file:
            return str(where or "")
        return str(msgspec.structs.replace(where, file=to_public_path(where.file)))

    def redact_text(self, text: str) -> str:
        """Return a text with all known paths replaced."""
        for file, shown in self._shown.items():
            text = text.replace(file, shown)
        return text

    def redact_values(self, value: Any) -> Any:
        """Return JSON values with the paths in every text replaced."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            return {name: self.redact_values(each) for name, each in value.items()}
        return [self.redact_values(each) for each in value] if isinstance(value, list) else value


def _find_files(details: dict[str, Any]) -> Iterator[str]:
    findings = details.get("findings")
    for each in (details, *(findings if isinstance(findings, list) else ())):
        file = each.get("file") if isinstance(each, dict) else None
        if isinstance(file, str):
            yield file


def _is_absolute(file: str) -> bool:
    return len(PurePath(file).parts) > 1 and PurePath(file).is_absolute()


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
