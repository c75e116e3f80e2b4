"""A story in other languages: its texts out into a table, translations back in.

Ids, flow and counts stay those of the source, so a save moves between languages.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple
from zlib import crc32

import msgspec

from saniwa.core.finding import Finding, Severity
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.desk.table import (
    COLUMNS,
    Row,
    Table,
    read_table,
    table_bytes,
    table_of,
)
from saniwa.script.program import End, Hear, Offer, Op, Program, Speak, Way
from saniwa.script.words import Text, Words, expressions, parse_words

__all__ = [
    "COLUMNS",
    "Row",
    "Table",
    "Told",
    "merged",
    "read_table",
    "standing",
    "table_bytes",
    "table_of",
    "told",
    "translated",
]

_CHANGED = "changed: "
_GONE = "gone"
_NAMES = ("speaker:", "ending:")
"""What may stay as it is in another language."""


class Told(NamedTuple):
    """One text of a story, under the id its translation goes by."""

    id: str
    """The line's or option's id; with `speaker:`, `ask:` or `ending:` for the rest."""
    speaker: str
    """Who speaks."""
    text: str
    """As it is written, braces and all."""
    where: Where
    """Where it is written."""


def told(program: Program) -> Iterator[Told]:
    """Every text people read, once each: speakers first, then in the story's order."""
    known: set[str] = set()
    for each in (*_speakers(program), *_lines(program)):
        if each.id not in known:
            known.add(each.id)
            yield each


def merged(program: Program, table: Table) -> Table:
    """The table brought up to date with the story; no translation or note is lost.

    A changed text keeps its translation and is noted; a text that is gone moves to the
    end, unless nobody had written anything beside it.
    """
    before = {row.id: row for row in table.rows}
    empty = ("",) * len(table.more)
    rows = [_updated(each, before.pop(each.id, None), empty) for each in told(program)]
    rows += [_gone(row) for row in before.values() if _worth_keeping(row)]
    return Table(file=table.file, rows=tuple(rows), more=table.more)


def translated(program: Program, table: Table) -> tuple[Program, tuple[Finding, ...]]:
    """The program in the table's language, and what is wrong with the translation.

    Where a translation is missing or cannot be read, the source's text stays.
    """
    work = _Translation(program, table)
    ops = tuple(map(work.op, program.ops))
    return msgspec.structs.replace(program, ops=ops), tuple(work.findings)


def standing(row: Row) -> Literal["done", "missing", "changed", "gone"]:
    """How far the translation of a row is."""
    note = _note(row.note)
    if note.gone:
        return "gone"
    if not row.translation:
        return "done" if row.id.startswith(_NAMES) else "missing"
    return "done" if note.was is None else "changed"


def _speakers(program: Program) -> Iterator[Told]:
    for address, op in enumerate(program.ops):
        if isinstance(op, Speak) and op.speaker:
            id, where = f"speaker:{op.speaker}", program.where(address)
            yield Told(id, "", op.speaker, where)


def _lines(program: Program) -> Iterator[Told]:
    for address, op in enumerate(program.ops):
        where = program.where(address)
        if isinstance(op, Speak):
            yield Told(op.id, op.speaker, _written(op.words), where)
        elif isinstance(op, Offer):
            for way in op.ways:
                place = Where(file=where.file, line=way.line, column=way.column)
                yield Told(way.id, "", _written(way.words), place)
        elif isinstance(op, Hear) and op.prompt:
            yield Told(_ask_id(op), "", _written(op.prompt), where)
        elif isinstance(op, End) and op.name:
            yield Told(f"ending:{op.ending}", "", op.name, where)


def _ask_id(op: Hear) -> str:
    raw = _written(op.prompt).encode("utf-8", "surrogatepass")
    return f"ask:{crc32(raw):08x}"


def _written(words: Words) -> str:
    """The words as an author would write them, so that they read back the same."""
    if isinstance(words, Text):
        return words.source
    return words.replace("\\", "\\\\").replace("{", "\\{")


class _Note(NamedTuple):
    """A note in its three parts."""

    own: str
    """The translator's."""
    gone: bool
    """Whether the text is gone from the story."""
    was: str | None
    """The text the translation was made of, if it changed since."""

    def __str__(self) -> str:
        parts = [self.own] if self.own else []
        parts += [_GONE] if self.gone else []
        parts += [] if self.was is None else [_CHANGED + self.was]
        return "\n".join(parts)


def _note(text: str) -> _Note:
    at = 0 if text.startswith(_CHANGED) else text.find(f"\n{_CHANGED}") + 1
    was = None
    if at or text.startswith(_CHANGED):
        was, text = text[at + len(_CHANGED) :], text[:at].removesuffix("\n")
    gone = text == _GONE or text.endswith(f"\n{_GONE}")
    own = text.removesuffix(_GONE).removesuffix("\n") if gone else text
    return _Note(own, gone, was)


def _updated(each: Told, before: Row | None, empty: tuple[str, ...]) -> Row:
    if before is None:
        return Row(id=each.id, speaker=each.speaker, text=each.text, more=empty)
    note = _note(before.note)
    was: str | None = before.text if note.was is None else note.was
    if not before.translation or not was or was == each.text:
        was = None
    return Row(
        id=each.id,
        speaker=each.speaker,
        text=each.text,
        translation=before.translation,
        note=str(_Note(note.own, False, was)),
        more=before.more,
        line=before.line,
    )


def _gone(row: Row) -> Row:
    note = _note(row.note)
    return msgspec.structs.replace(row, note=str(_Note(note.own, True, note.was)))


def _worth_keeping(row: Row) -> bool:
    return bool(row.translation or _note(row.note).own or any(row.more))


class _Translation:
    """One program being put into one language."""

    def __init__(self, program: Program, table: Table) -> None:
        self.findings: list[Finding] = []
        self._file = table.file
        self._rows = {row.id: row for row in table.rows}
        self._words: dict[str, Words] = {}
        self._names: dict[str, str] = {}
        for each in told(program):
            self._take(each)

    def op(self, op: Op) -> Op:
        """The operation in the other language."""
        replace = msgspec.structs.replace
        if isinstance(op, Speak):
            speaker = self._names.get(f"speaker:{op.speaker}", op.speaker)
            words = self._words.get(op.id, op.words)
            return replace(op, speaker=speaker, words=words)
        if isinstance(op, Offer):
            return replace(op, ways=tuple(map(self._way, op.ways)))
        if isinstance(op, Hear):
            return replace(op, prompt=self._words.get(_ask_id(op), op.prompt))
        if isinstance(op, End):
            return replace(op, name=self._names.get(f"ending:{op.ending}", op.name))
        return op

    def _way(self, way: Way) -> Way:
        words = self._words.get(way.id, way.words)
        return msgspec.structs.replace(way, words=words)

    def _take(self, each: Told) -> None:
        row = self._rows.get(each.id)
        if row is None or not row.translation:
            if not each.id.startswith(_NAMES):
                self._missing(each)
            return
        if _note(row.note).was is not None or (row.text and row.text != each.text):
            self._changed(each, row)
        if each.id.startswith(_NAMES):
            self._names[each.id] = row.translation
        else:
            self._read(each, row)

    def _read(self, each: Told, row: Row) -> None:
        words, problems = parse_words(row.translation, row.line, 1)
        source, _ = parse_words(each.text, 0, 1)
        strange = _names(words) - _names(source)
        if problems:
            first = problems[0]
            self._malformed(row, first.message, first.hint)
        elif _rolls(words) != _rolls(source):
            message = "roll(…) must stand in it as often and in the order of the source"
            self._malformed(row, message, "else the story would go another way")
        else:
            self._words[each.id] = words
            for name in sorted(strange):
                message = f"it shows {quoted(name)}, which the source does not"
                self._malformed(row, message, "", "warning")

    def _missing(self, each: Told) -> None:
        message = f"{quoted(each.text)} has no translation"
        hint = f"give the row {each.id} one; until then the source's text is shown"
        self._add("TRANSLATION_MISSING", "warning", message, each.where, hint)

    def _changed(self, each: Told, row: Row) -> None:
        was = _note(row.note).was
        message = (
            f"{quoted(row.text if was is None else was)} is {quoted(each.text)} now"
        )
        hint = "look the translation over, then empty its note"
        where = Where(file=self._file, line=row.line)
        self._add("TRANSLATION_CHANGED", "warning", message, where, hint)

    def _malformed(
        self, row: Row, why: str, hint: str, severity: Severity = "error"
    ) -> None:
        message = f"the translation of {quoted(row.text)} cannot be used: {why}"
        if severity == "warning":
            message = f"the translation of {quoted(row.text)} may be wrong: {why}"
        where = Where(file=self._file, line=row.line)
        self._add("TRANSLATION_MALFORMED", severity, message, where, hint)

    def _add(
        self, code: str, severity: Severity, message: str, where: Where, hint: str
    ) -> None:
        self.findings.append(
            Finding(
                code=code, severity=severity, message=message, where=where, hint=hint
            )
        )


def _names(words: Words) -> set[str]:
    return {name.name for each in expressions(words) for name in each.names}


def _rolls(words: Words) -> list[str]:
    return [
        each.source
        for each in expressions(words)
        if any(call.name == "roll" for call in each.calls)
    ]
