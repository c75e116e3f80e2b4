"""What is told of an error, without the folders of this machine."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from saniwa.core.where import Where
from saniwa.scenario.summary import shown_path


class Placeless:
    """Tells files by their names, wherever an error speaks of them."""

    def __init__(self, where: Where | None, details: dict[str, Any]) -> None:
        """The files that an error names as its places."""
        named = [where.file] if where is not None else []
        found = {each for each in (*named, *_files(details)) if _is_absolute(each)}
        # The longest first: one may be the beginning of another.
        self._shown = {each: shown_path(each) for each in sorted(found, key=_short)}

    def place(self, where: Where | None) -> str:
        """A place in a file."""
        if where is None or not where.file:
            return str(where or "")
        return str(msgspec.structs.replace(where, file=shown_path(where.file)))

    def text(self, text: str) -> str:
        """What somebody reads."""
        for file, shown in self._shown.items():
            text = text.replace(file, shown)
        return text

    def plain(self, value: Any) -> Any:
        """JSON values, with every text in them."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.plain(each) for name, each in value.items()}
        return (
            [self.plain(each) for each in value] if isinstance(value, list) else value
        )


def _files(details: dict[str, Any]) -> Iterator[str]:
    findings = details.get("findings")
    for each in (details, *(findings if isinstance(findings, list) else ())):
        file = each.get("file") if isinstance(each, dict) else None
        if isinstance(file, str):
            yield file


def _is_absolute(file: str) -> bool:
    return len(PurePath(file).parts) > 1 and PurePath(file).is_absolute()


def _short(file: str) -> int:
    return -len(file)
