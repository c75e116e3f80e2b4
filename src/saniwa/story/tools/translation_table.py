"""The table for translators: a CSV file with one row per text, read without loss.

A cell that a spreadsheet would read as a formula, a number or a date is written with a
`'` before it, and read without; so is one that already begins with such a `'`.
"""

import csv
import errno
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.story.finding_collector import make_story_error

COLUMNS: Final = ("id", "speaker", "text", "translation", "note")
"""The known columns; any others are the translator's and are preserved."""
LARGEST: Final = 64 * 1024 * 1024
"""The most bytes of a table."""
_TAKEN = re.compile(r"'*+(?:[=+\-@\t]|[0-9.][0-9.,:/eE+-]*+\Z)")
_BREAKS = re.compile(r"\r\n?")


class TranslationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One text and its translation."""

    id: str
    """The line's id; `title`, `speaker:NAME`, `ask:HASH`, `ending:ID` for the rest."""
    speaker: str = ""
    """The speaker; empty for the narrator and for options."""
    text: str = ""
    """The text in the story."""
    translation: str = ""
    """The translation; empty until there is one."""
    note: str = ""
    """The translator's own note, then `gone` or `changed: …` if that applies."""
    more: tuple[str, ...] = ()
    """The cells of the translator's own columns."""
    line: int = 0
    """Its line in the file; 0 for a new row."""


class TranslationTable(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of one language."""

    file: str = ""
    """The file it was read from."""
    rows: tuple[TranslationRow, ...] = ()
    """In the order of the story; texts removed from the story come last."""
    more: tuple[str, ...] = ()
    """Names of the translator's own columns."""


def read_translations(path: str | os.PathLike[str]) -> TranslationTable:
    """Read a table from a file.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    return decode_table(read_table_bytes(path), os.fspath(path))


def read_table_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read the bytes of a table; a link is followed only within its own folder.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`.
    """
    file = os.fspath(path)
    check_link(file)
    try:
        return read_small_file(file, LARGEST)
    except OSError as problem:
        case = "large" if problem.errno == errno.EFBIG else "failed"
        raise _make_unreadable_error(file, 0, case, why=problem.strerror) from problem


def check_link(file: str) -> None:
    """Refuse a symbolic link that cannot be resolved or leads out of its folder.

    A link to a file that does not exist yet, and any other path, is accepted.

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
        pass  # a link to a file that is not written yet
    except (OSError, RuntimeError) as problem:
        # Before Python 3.13 a link cycle is a RuntimeError.
        why = getattr(problem, "strerror", None) or "its symbolic links form a cycle"
        raise _make_unreadable_error(file, 0, "failed", why=why) from problem
    if not real.is_relative_to(folder):
        raise _make_unreadable_error(file, 0, "link")


def decode_table(content: bytes, file: str) -> TranslationTable:
    """Decode a table from a file's content.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise _make_unreadable_error(file, line, "encoding") from problem
    return parse_translations(text, file)


def parse_translations(text: str, file: str = "") -> TranslationTable:
    """Parse a table; its cells are separated by commas, semicolons or tabs.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`, with the place.
    """
    lines = _split_cells(text, file)
    if not lines:
        return TranslationTable(file=file)
    _, names = lines[0]
    for needed in ("id", "translation"):
        if needed not in names:
            columns = ",".join(COLUMNS)
            raise _make_unreadable_error(file, 1, "column", name=needed, columns=columns)
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise _make_unreadable_error(file, 1, "columns", name=repeated[0])
    more = tuple(name for name in names if name not in COLUMNS)
    rows = [_make_row(names, more, cells, line, file) for line, cells in lines[1:]]
    _check_unique_ids(rows, file)
    return TranslationTable(file=file, rows=tuple(rows), more=more)


def encode_table(table: TranslationTable) -> bytes:
    """Encode a table for its file: RFC 4180, UTF-8."""
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
    """Split every non-empty line into cells; also return its number."""
    # Python has one limit for all readers; ours is the size of a file.
    csv.field_size_limit(LARGEST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text), strict=True)
    found, line = [], 1
    try:
        for cells in reader:
            if any(cells):
                found.append((line, [_unescape_cell(cell) for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as problem:
        raise _make_unreadable_error(file, line, "format", why=problem) from problem
    return found


def _find_delimiter(text: str) -> str:
    # The separator that spreadsheets use depends on the locale.
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _make_row(
    names: Sequence[str], more: Iterable[str], cells: list[str], line: int, file: str
) -> TranslationRow:
    if len(cells) > len(names) and any(cells[len(names) :]):
        shown = {"cells": len(cells), "columns": len(names)}
        raise _make_unreadable_error(file, line, "cells", **shown)
    values = dict(zip(names, cells, strict=False))
    if not values.get("id"):
        raise _make_unreadable_error(file, line, "no_id")
    known = {name: values.get(name, "") for name in COLUMNS}
    own = tuple(values.get(name, "") for name in more)
    return TranslationRow(**known, more=own, line=line)


def _check_unique_ids(rows: list[TranslationRow], file: str) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            raise _make_unreadable_error(file, row.line, "id", id=row.id, line=seen[row.id])
        seen[row.id] = row.line


def _make_unreadable_error(file: str, at: int, case: str, /, **values: object) -> ScriptError:
    where = SourceLocation(file=file, line=at)
    return make_story_error(f"TRANSLATIONS_UNREADABLE/{case}", where, largest=LARGEST, **values)
