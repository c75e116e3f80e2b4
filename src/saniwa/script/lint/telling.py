"""How what was found is put."""

from collections.abc import Iterable
from typing import Any, Final

from saniwa.core.finding import Finding, Severity
from saniwa.core.where import Where

MOST_LINES: Final = 12
"""Lines that one finding names."""


def place(file: str, line: int, column: int) -> Where:
    """A place in a file."""
    return Where(file=file, line=line, column=column)


def found(
    severity: Severity,
    code: str,
    where: Where,
    message: str,
    hint: str,
    **details: Any,
) -> Finding:
    """A finding."""
    return Finding(
        code=code,
        severity=severity,
        message=message,
        where=where,
        hint=hint,
        details=details,
    )


def guess(near: str, otherwise: str) -> str:
    """The hint: a name that may be meant, else what can be done."""
    return f"did you mean {near!r}?" if near else otherwise


def counted(count: int, one: str, many: str) -> str:
    """So many of them, in words that fit the number."""
    return f"{count} {one if count == 1 else many}"


def lines_of(places: Iterable[Where], file: str) -> list[int]:
    """The first few lines of these places in a file."""
    return sorted({each.line for each in places if each.file == file})[:MOST_LINES]
