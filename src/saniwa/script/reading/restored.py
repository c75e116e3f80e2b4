"""Columns as the file has them, where comments were taken out before a line was read."""

from typing import Any, Final

import msgspec

from saniwa.script import node
from saniwa.script.notes import Notes

_COLUMNS: Final = frozenset({"column", "name_column"})


def restored(part: Any, notes: Notes) -> Any:
    """A block, or a part of one, with true columns.

    Goes as deep as blocks, lists and braces stand in each other, which is bounded.
    """
    if isinstance(part, tuple):
        return tuple(restored(each, notes) for each in part)
    if not isinstance(part, msgspec.Struct) or _is_true(part, notes):
        return part
    line = getattr(part, "line", 0)
    changed: dict[str, Any] = {}
    for field in part.__struct_fields__:
        value = getattr(part, field)
        if field in _COLUMNS:
            changed[field] = notes.column(line, value)
        elif field == "given_columns":
            changed[field] = tuple(notes.column(line, each) for each in value)
        elif isinstance(value, tuple | msgspec.Struct):
            changed[field] = restored(value, notes)
    return msgspec.structs.replace(part, **changed)


def _is_true(part: msgspec.Struct, notes: Notes) -> bool:
    """Whether no line of an element had a comment, or it was the comment itself."""
    if isinstance(part, node.Ending):
        return not part.old
    last = getattr(part, "last", None)
    return last is not None and not notes.has_cut(getattr(part, "line", 0), last)
