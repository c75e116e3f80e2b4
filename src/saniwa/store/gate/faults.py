"""What can be wrong with a run, wherever it is kept."""

from collections.abc import Callable, Iterable, Iterator

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.process.definition import Process
from saniwa.process.record import Entry, Record


def missing(
    entries: Iterable[Entry], definition: Callable[[str], Process]
) -> Iterator[Finding]:
    """The definitions a run stands or stood on that cannot be had any more.

    Raises:
        StoreError: The entries cannot be read.
    """
    asked: set[str] = set()
    for entry in entries:
        if not isinstance(entry, Record) or entry.opening is None:
            continue
        if entry.opening.definition in asked:
            continue
        asked.add(entry.opening.definition)
        try:
            definition(entry.opening.definition)
        except StoreError as problem:
            yield finding(problem)


def finding(problem: StoreError) -> Finding:
    """An error that stopped a reading, as something that was found."""
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
        details=problem.details,
    )
