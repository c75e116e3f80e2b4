"""How the author of a process wrote its id, for whoever wants to change it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saniwa.core.document import Document

_SPELLINGS = ("process_id", "processId", "id")
"""The keys an id can have."""


def how_id_is_written(document: "Document") -> tuple[str, int]:
    """What is unusual about it, and the line it stands in."""
    path = _path_of(document.plain)
    line = document.where_key(path).line or 0
    if len(path) > 1:
        return f"it stands under {path[0]!r}", line
    key = path[0] if path else ""
    if key != _SPELLINGS[0]:
        return f"its key is {key!r}", line
    if "&" in document.line(line).partition(":")[2]:
        return "an anchor is before it, which other lines may need", line
    return "it is not all in the line of its key", line


def _path_of(plain: Any) -> tuple[str, ...]:
    for before in ((), ("process",)):
        held = plain.get(before[0]) if before else plain
        if isinstance(held, Mapping):
            for key in _SPELLINGS:
                if key in held:
                    return (*before, key)
    return ()
