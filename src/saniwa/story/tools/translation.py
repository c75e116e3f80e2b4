"""Translate a program with a table, and keep the table up to date with the story.

The table is a CSV file with one row per text, read without loss: a cell that a
spreadsheet would read as a formula, a number or a date is written with a `'` before it,
and read without; so is one that already begins with such a `'`. Ids, flow and counts
stay those of the source, so a save can be used in any language.
"""

import csv
import errno
import io
import os
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple
from zlib import crc32

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.core.text import truncate
from saniwa.story.elements import AskElement, ChoiceOption, SayElement
from saniwa.story.finding_collector import make_finding, make_story_error
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.program import EndOp, OfferOp, Op, Program, list_op_texts
from saniwa.story.story import Story
from saniwa.story.text_template import Words, find_text_expressions
from saniwa.story.tools.notation_update_rules import spell_words

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


NAMES: Final = ("speaker:", "ending:")
"""Prefixes of ids of names, which need no translation."""


class TranslatableText(NamedTuple):
    """One text of a story, with the id of its translation."""

    id: str
    """The id of a line or option; else `title`, `speaker:…`, `ask:…` or `ending:…`."""
    speaker: str
    """The speaker."""
    text: str
    """As written, including braces."""
    where: SourceLocation
    """Where it is written."""


def list_texts(program: Program, title: str = "") -> Iterator[TranslatableText]:
    """Yield every text that players read, once each: title, speakers, then lines."""
    known: set[str] = set()
    for each in (*_list_title(program, title), *_list_speakers(program), *_sort_texts(program)):
        if each.id not in known:
            known.add(each.id)
            yield each


def make_title_id(program: Program) -> str:
    """Return the id of the title: `title`, or `title:` if a line has that id."""
    return "title:" if any(each.id == "title" for each in _list_lines(program)) else "title"


def _list_title(program: Program, title: str) -> Iterator[TranslatableText]:
    if title:
        file = program.find_file(0) if program.ops else ""
        yield TranslatableText(make_title_id(program), "", title, SourceLocation(file=file))


def _list_speakers(program: Program) -> Iterator[TranslatableText]:
    for address, op in enumerate(program.ops):
        if isinstance(op, SayElement) and op.speaker:
            id, where = f"speaker:{op.speaker}", program.locate_op(address)
            yield TranslatableText(id, "", op.speaker, where)


def _sort_texts(program: Program) -> list[TranslatableText]:
    """Sort the texts in the order written: what follows an option is below it."""
    found = list(_list_lines(program))
    files = {each.where.file: nth for nth, each in enumerate(reversed(found))}

    def place(each: TranslatableText) -> tuple[int, int, int]:
        return -files[each.where.file], each.where.line, each.where.column

    return sorted(found, key=place)


def _list_lines(program: Program) -> Iterator[TranslatableText]:
    for address, op in enumerate(program.ops):
        where = program.locate_op(address)
        for text in list_op_texts(op):
            speaker, place = getattr(text, "speaker", ""), program.locate_op(address, text)
            yield TranslatableText(text.id, speaker, spell_words(text.words), place)
        if isinstance(op, AskElement) and op.prompt:
            yield TranslatableText(make_ask_id(op), "", spell_words(op.prompt), where)
        elif isinstance(op, EndOp) and op.name:
            yield TranslatableText(f"ending:{op.ending}", "", op.name, where)


def make_ask_id(op: AskElement) -> str:
    """Make the id of a question from its words, since it has none."""
    raw = spell_words(op.prompt).encode("utf-8", "surrogatepass")
    return f"ask:{crc32(raw):08x}"


_CHANGED = "changed: "
_GONE = "gone"


def merge_translations(
    program: Program, table: TranslationTable, title: str = ""
) -> TranslationTable:
    """Update the table to the story; no translation or note is lost.

    A changed text keeps its translation and gets a note; a removed text moves to the
    end, unless it had no translation, note or other cell. A text with a new id, as when
    ids were written into the file, keeps its row.
    """
    texts = list(list_texts(program, title))
    before = {row.id: row for row in table.rows}
    known = {each.id: before.pop(each.id, None) for each in texts}
    moved = _group_by_text(before.values())
    empty = ("",) * len(table.more)
    rows = []
    for each in texts:
        row = known[each.id]
        if row is None and moved[each.speaker, each.text]:
            row = moved[each.speaker, each.text].popleft()
            del before[row.id]
        rows.append(_update_row(each, row, empty))
    rows += [_mark_gone(row) for row in before.values() if _is_worth_keeping(row)]
    return TranslationTable(file=table.file, rows=tuple(rows), more=table.more)


def _group_by_text(rows: Iterable[TranslationRow]) -> dict[tuple[str, str], deque[TranslationRow]]:
    found = defaultdict[tuple[str, str], deque[TranslationRow]](deque)
    for row in rows:
        if row.text:
            found[row.speaker, row.text].append(row)
    return found


def classify_row(row: TranslationRow) -> Literal["done", "missing", "changed", "gone"]:
    """Return the state of a row's translation."""
    note = parse_note(row)
    if note.gone:
        return "gone"
    if not row.translation:
        return "done" if row.id.startswith(NAMES) else "missing"
    return "done" if note.was is None else "changed"


class RowNote(NamedTuple):
    """A note, split into its parts."""

    own: str
    """The translator's own note."""
    gone: bool
    """Whether the text was removed from the story."""
    was: str | None
    """The text that was translated, if it has changed since."""

    def __str__(self) -> str:
        parts = [self.own] if self.own else []
        parts += [_GONE] if self.gone else []
        parts += [] if self.was is None else [_CHANGED + self.was]
        return "\n".join(parts)


def parse_note(row: TranslationRow) -> RowNote:
    """Split the note of a row into its parts.

    Only what `merge_translations` would have written counts as its own: `changed: …` if
    there is a translation, and `gone` alone if another cell is worth keeping.
    """
    text, was = row.note, None
    if row.translation:
        text, was = _split_note(text)
    alone = text == _GONE and bool(row.translation or any(row.more))
    gone = alone or text.endswith(f"\n{_GONE}")
    own = text.removesuffix(_GONE).removesuffix("\n") if gone else text
    return RowNote(own, gone, was)


def _split_note(text: str) -> tuple[str, str | None]:
    """Split a note from what follows `changed: ` in its last part."""
    at = 0 if text.startswith(_CHANGED) else text.find(f"\n{_CHANGED}") + 1
    was = text[at + len(_CHANGED) :] if text.startswith(_CHANGED, at) else ""
    return (text[:at].removesuffix("\n"), was) if was else (text, None)


def _update_row(
    each: TranslatableText, before: TranslationRow | None, empty: tuple[str, ...]
) -> TranslationRow:
    if before is None:
        return TranslationRow(id=each.id, speaker=each.speaker, text=each.text, more=empty)
    note = parse_note(before)
    was: str | None = before.text if note.was is None else note.was
    if not before.translation or not was or was == each.text:
        was = None
    return TranslationRow(
        id=each.id,
        speaker=each.speaker,
        text=each.text,
        translation=before.translation,
        note=str(RowNote(note.own, False, was)),
        more=before.more,
        line=before.line,
    )


def _mark_gone(row: TranslationRow) -> TranslationRow:
    note = parse_note(row)
    return msgspec.structs.replace(row, note=str(RowNote(note.own, True, note.was)))


def _is_worth_keeping(row: TranslationRow) -> bool:
    return bool(row.translation or parse_note(row).own or any(row.more))


_LONGEST = 1_000
"""The most characters of a text that a message quotes."""


def translate_story(story: Story, table: TranslationTable) -> Story:
    """Translate a story and its title; findings are added to its report."""
    first, *others = story.scenes
    work = _Translator(story.program, table, first.title)
    title = work.names.get(make_title_id(story.program), first.title)
    replace = msgspec.structs.replace
    return replace(
        story,
        scenes=(replace(first, title=title), *others),
        program=replace(story.program, ops=tuple(map(work.translate_op, story.program.ops))),
        report=Report.from_findings((*story.report.findings, *work.findings)),
    )


class _Translator:
    """Translates one program into one language."""

    def __init__(self, program: Program, table: TranslationTable, title: str = "") -> None:
        self.findings: list[Finding] = []
        self.names: dict[str, str] = {}
        self._file = table.file
        self._rows = {row.id: row for row in table.rows}
        self._words: dict[str, Words] = {}
        self._title = make_title_id(program)
        for each in list_texts(program, title):
            self._take_text(each)

    def translate_op(self, op: Op) -> Op:
        """Return the operation in the other language."""
        replace = msgspec.structs.replace
        if isinstance(op, SayElement):
            speaker = self.names.get(f"speaker:{op.speaker}", op.speaker)
            words = self._words.get(op.id, op.words)
            return replace(op, speaker=speaker, words=words)
        if isinstance(op, OfferOp):
            return replace(op, ways=tuple(map(self._translate_option, op.ways)))
        if isinstance(op, AskElement):
            return replace(op, prompt=self._words.get(make_ask_id(op), op.prompt))
        if isinstance(op, EndOp):
            return replace(op, name=self.names.get(f"ending:{op.ending}", op.name))
        return op

    def _translate_option(self, way: ChoiceOption) -> ChoiceOption:
        words = self._words.get(way.id, way.words)
        return msgspec.structs.replace(way, words=words)

    def _take_text(self, each: TranslatableText) -> None:
        row = self._rows.get(each.id)
        if row is None or not row.translation:
            # A name may stay untranslated; a line may not.
            if not each.id.startswith(NAMES):
                self._add_finding("TRANSLATION_MISSING", each, None)
            return
        if parse_note(row).was is not None or (row.text and row.text != each.text):
            self._report_changed(each, row)
        if each.id.startswith(NAMES) or each.id == self._title:
            self.names[each.id] = row.translation
        else:
            self._read_row(each, row)

    def _read_row(self, each: TranslatableText, row: TranslationRow) -> None:
        words, problems = parse_words(row.translation, row.line, 1)
        source, _ = parse_words(each.text, 0, 1)
        strange = _list_variable_names(words) - _list_variable_names(source)
        if problems:
            shown = {"problem": problems[0].message, "hint": problems[0].hint}
            self._add_finding("TRANSLATION_MALFORMED", each, row, **shown)
        elif _list_rolls(words) != _list_rolls(source):
            self._add_finding("TRANSLATION_MALFORMED/rolls", each, row)
        else:
            self._words[each.id] = words
            for name in sorted(strange):
                self._add_finding("TRANSLATION_MALFORMED/names", each, row, name=name)

    def _report_changed(self, each: TranslatableText, row: TranslationRow) -> None:
        was = parse_note(row).was
        old = _quote_text(row.text if was is None else was)
        first = "run saniwa story strings first, then " if was is None else ""
        self._add_finding("TRANSLATION_CHANGED", each, row, old=old, first=first)

    def _add_finding(
        self, key: str, each: TranslatableText, row: TranslationRow | None, **values: str
    ) -> None:
        """Add a finding about a text, in its row of the table if it has one."""
        where = each.where if row is None else SourceLocation(file=self._file, line=row.line)
        details = {"id": each.id, "text": each.text}
        quoted = _quote_text(each.text)
        self.findings.append(make_finding(key, where, details, quoted=quoted, **values))


def _quote_text(text: str) -> str:
    # Not `quote_value`: a translator searches for the whole text.
    return truncate(repr(text), _LONGEST)


def _list_variable_names(words: Words) -> set[str]:
    return {name.name for each in find_text_expressions(words) for name in each.names}


def _list_rolls(words: Words) -> list[str]:
    return [
        each.source
        for each in find_text_expressions(words)
        if any(call.name == "roll" for call in each.calls)
    ]
