"""Keeps the folders of this machine out of what is told of an error."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from saniwa.core.findings import SourceLocation
from saniwa.scenario.summary import to_public_path


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
