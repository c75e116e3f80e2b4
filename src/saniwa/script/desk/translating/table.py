"""The table translators work in: a CSV file, a row a text, nothing in it ever lost.

A cell that a spreadsheet would take for a formula, a number or a date is written with a
`'` before it, and read without; so is one that already begins with such a `'`.
"""

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

COLUMNS: Final = ("id", "speaker", "text", "translation", "note")
"""The columns we know; any others belong to the translator and stay."""
LARGEST: Final = 64 * 1024 * 1024
"""Bytes a table may have."""
_TAKEN = re.compile(r"'*+(?:[=+\-@\t]|[0-9.][0-9.,:/eE+-]*+\Z)")
_BREAKS = re.compile(r"\r\n?")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One text and its translation."""

    id: str
    """The line's id; `title`, `speaker:NAME`, `ask:HASH`, `ending:ID` for the rest."""
    speaker: str = ""
    """Who speaks; empty for the narrator and for options."""
    text: str = ""
    """The text as the story has it."""
    translation: str = ""
    """The translator's; empty until there is one."""
    note: str = ""
    """The translator's own, then `gone` or `changed: …` where that is so."""
    more: tuple[str, ...] = ()
    """What stands in the translator's own columns."""
    line: int = 0
    """Where it stands in its file; 0 for a new one."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of one language."""

    file: str = ""
    """Where it was read."""
    rows: tuple[Row, ...] = ()
    """In the story's order; what is gone from the story, last."""
    more: tuple[str, ...] = ()
    """Names of the translator's own columns."""


def read_table(path: str | os.PathLike[str]) -> Table:
    """The table in a file.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    return table_in(read_content(path), os.fspath(path))


def read_content(path: str | os.PathLike[str]) -> bytes:
    """What a table's file holds; a link is followed only within its own folder.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`.
    """
    file = os.fspath(path)
    check_link(file)
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as problem:
        raise _unreadable(file, 0, f"cannot read it: {problem.strerror}") from problem
    if len(content) > LARGEST:
        raise _unreadable(file, 0, f"it is larger than {LARGEST} bytes")
    return content


def check_link(file: str) -> None:
    """Refuse a link that leads nowhere or out of its folder; all else is fine.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`.
    """
    path = Path(file)
    if not path.is_symlink():
        return
    try:
        real, folder = path.resolve(), path.parent.resolve()
        path.stat()
    except FileNotFoundError:
        pass  # a link to a file that is still to be written
    except (OSError, RuntimeError) as problem:
        # Before Python 3.13 a circle of links is a RuntimeError.
        why = getattr(problem, "strerror", None) or "its links go round in a circle"
        raise _unreadable(file, 0, f"cannot read it: {why}") from problem
    if not real.is_relative_to(folder):
        message = "it is a link that leads out of its folder"
        raise _unreadable(file, 0, message, "keep the table itself beside the story")


def table_in(content: bytes, file: str) -> Table:
    """The table in a file's content.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        hint = "save it as CSV in UTF-8"
        raise _unreadable(file, line, "it is not UTF-8", hint) from problem
    return table_of(text, file)


def table_of(text: str, file: str = "") -> Table:
    """The table in a text; its cells are parted by commas, semicolons or tabs.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    lines = _cells(text, file)
    if not lines:
        return Table(file=file)
    _, names = lines[0]
    for needed in ("id", "translation"):
        if needed not in names:
            message = f"its first line names no column {needed!r}"
            raise _unreadable(file, 1, message, f"write {','.join(COLUMNS)}")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise _unreadable(file, 1, f"it has two columns {quoted(repeated[0])}")
    more = tuple(name for name in names if name not in COLUMNS)
    rows = [_row(names, more, cells, line, file) for line, cells in lines[1:]]
    _once_each(rows, file)
    return Table(file=file, rows=tuple(rows), more=more)


def table_bytes(table: Table) -> bytes:
    """The file a table is kept in: RFC 4180, UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(_harmless, (*COLUMNS, *table.more)))
    for row in table.rows:
        cells = (row.id, row.speaker, row.text, row.translation, row.note, *row.more)
        writer.writerow(map(_harmless, cells))
    return out.getvalue().encode("utf-8", "backslashreplace")


def _harmless(cell: str) -> str:
    return f"'{cell}" if _TAKEN.match(cell) else cell


def _as_meant(cell: str) -> str:
    cell = _BREAKS.sub("\n", cell)
    return cell[1:] if cell.startswith("'") and _TAKEN.match(cell) else cell


def _cells(text: str, file: str) -> list[tuple[int, list[str]]]:
    """The cells of every line that has any, with its number."""
    # Python keeps one bound for all readers; ours is the size of a file.
    csv.field_size_limit(LARGEST)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_parting(text), strict=True
    )
    found, line = [], 1
    try:
        for cells in reader:
            if any(cells):
                found.append((line, [_as_meant(cell) for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise _unreadable(file, line, f"it is no CSV: {problem}") from problem
    return found


def _parting(text: str) -> str:
    # Spreadsheets part cells by what is usual where they run.
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _row(
    names: Sequence[str], more: Iterable[str], cells: list[str], line: int, file: str
) -> Row:
    if len(cells) > len(names) and any(cells[len(names) :]):
        message = f"the row has {len(cells)} cells for {len(names)} columns"
        raise _unreadable(file, line, message, "put cells with commas into quotes")
    said = dict(zip(names, cells, strict=False))
    if not said.get("id"):
        raise _unreadable(file, line, "the row has no id")
    known = {name: said.get(name, "") for name in COLUMNS}
    own = tuple(said.get(name, "") for name in more)
    return Row(**known, more=own, line=line)


def _once_each(rows: list[Row], file: str) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            message = f"the id {quoted(row.id)} stands in line {seen[row.id]} too"
            raise _unreadable(file, row.line, message, "leave one of the two rows")
        seen[row.id] = row.line


def _unreadable(file: str, line: int, message: str, hint: str = "") -> ScriptError:
    return ScriptError(
        "TRANSLATIONS_UNREADABLE",
        f"the translations cannot be read: {message}",
        where=Where(file=file, line=line),
        hint=hint,
    )
