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
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value

COLUMNS: Final = ("id", "speaker", "text", "translation", "note")
"""The columns we know; any others belong to the translator and stay."""
LARGEST: Final = 64 * 1024 * 1024
"""Bytes a table may have."""
_TAKEN = re.compile(r"'*+(?:[=+\-@\t]|[0-9.][0-9.,:/eE+-]*+\Z)")
_BREAKS = re.compile(r"\r\n?")


class TranslationRow(msgspec.Struct, frozen=True, kw_only=True):
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


class TranslationTable(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of one language."""

    file: str = ""
    """Where it was read."""
    rows: tuple[TranslationRow, ...] = ()
    """In the story's order; what is gone from the story, last."""
    more: tuple[str, ...] = ()
    """Names of the translator's own columns."""


def read_table(path: str | os.PathLike[str]) -> TranslationTable:
    """The table in a file.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    return decode_table(read_table_bytes(path), os.fspath(path))


def read_table_bytes(path: str | os.PathLike[str]) -> bytes:
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
        raise _make_unreadable_error(
            file, 0, f"cannot read it: {problem.strerror}"
        ) from problem
    if len(content) > LARGEST:
        raise _make_unreadable_error(file, 0, f"it is larger than {LARGEST} bytes")
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
        raise _make_unreadable_error(file, 0, f"cannot read it: {why}") from problem
    if not real.is_relative_to(folder):
        message = "it is a link that leads out of its folder"
        raise _make_unreadable_error(
            file, 0, message, "keep the table itself beside the story"
        )


def decode_table(content: bytes, file: str) -> TranslationTable:
    """The table in a file's content.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        hint = "save it as CSV in UTF-8"
        raise _make_unreadable_error(file, line, "it is not UTF-8", hint) from problem
    return parse_table(text, file)


def parse_table(text: str, file: str = "") -> TranslationTable:
    """The table in a text; its cells are parted by commas, semicolons or tabs.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    lines = _split_cells(text, file)
    if not lines:
        return TranslationTable(file=file)
    _, names = lines[0]
    for needed in ("id", "translation"):
        if needed not in names:
            message = f"its first line names no column {needed!r}"
            raise _make_unreadable_error(file, 1, message, f"write {','.join(COLUMNS)}")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise _make_unreadable_error(
            file, 1, f"it has two columns {quote_value(repeated[0])}"
        )
    more = tuple(name for name in names if name not in COLUMNS)
    rows = [_make_row(names, more, cells, line, file) for line, cells in lines[1:]]
    _check_unique_ids(rows, file)
    return TranslationTable(file=file, rows=tuple(rows), more=more)


def encode_table(table: TranslationTable) -> bytes:
    """The file a table is kept in: RFC 4180, UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(_escape_cell, (*COLUMNS, *table.more)))
    for row in table.rows:
        cells = (row.id, row.speaker, row.text, row.translation, row.note, *row.more)
        writer.writerow(map(_escape_cell, cells))
    return out.getvalue().encode("utf-8", "backslashreplace")


def _escape_cell(cell: str) -> str:
    return f"'{cell}" if _TAKEN.match(cell) else cell


def _unescape_cell(cell: str) -> str:
    cell = _BREAKS.sub("\n", cell)
    return cell[1:] if cell.startswith("'") and _TAKEN.match(cell) else cell


def _split_cells(text: str, file: str) -> list[tuple[int, list[str]]]:
    """The cells of every line that has any, with its number."""
    # Python keeps one bound for all readers; ours is the size of a file.
    csv.field_size_limit(LARGEST)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_find_delimiter(text), strict=True
    )
    found, line = [], 1
    try:
        for cells in reader:
            if any(cells):
                found.append((line, [_unescape_cell(cell) for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise _make_unreadable_error(
            file, line, f"it is no CSV: {problem}"
        ) from problem
    return found


def _find_delimiter(text: str) -> str:
    # Spreadsheets part cells by what is usual where they run.
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _make_row(
    names: Sequence[str], more: Iterable[str], cells: list[str], line: int, file: str
) -> TranslationRow:
    if len(cells) > len(names) and any(cells[len(names) :]):
        message = f"the row has {len(cells)} cells for {len(names)} columns"
        raise _make_unreadable_error(
            file, line, message, "put cells with commas into quotes"
        )
    said = dict(zip(names, cells, strict=False))
    if not said.get("id"):
        raise _make_unreadable_error(file, line, "the row has no id")
    known = {name: said.get(name, "") for name in COLUMNS}
    own = tuple(said.get(name, "") for name in more)
    return TranslationRow(**known, more=own, line=line)


def _check_unique_ids(rows: list[TranslationRow], file: str) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            message = f"the id {quote_value(row.id)} stands in line {seen[row.id]} too"
            raise _make_unreadable_error(
                file, row.line, message, "leave one of the two rows"
            )
        seen[row.id] = row.line


def _make_unreadable_error(
    file: str, line: int, message: str, hint: str = ""
) -> ScriptError:
    return ScriptError(
        "TRANSLATIONS_UNREADABLE",
        f"the translations cannot be read: {message}",
        where=SourceLocation(file=file, line=line),
        hint=hint,
    )
