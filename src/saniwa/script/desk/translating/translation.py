"""A program in another language.

Ids, flow and counts stay those of the source, so a save moves between languages.
"""

import msgspec

from saniwa.core.finding import Finding, Severity
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.desk.translating.merging import note_of
from saniwa.script.desk.translating.table import Row, Table
from saniwa.script.desk.translating.texts import NAMES, Told, ask_id, told
from saniwa.script.program import End, Hear, Offer, Op, Program, Speak, Way
from saniwa.script.words import Words, expressions, parse_words


def translated(program: Program, table: Table) -> tuple[Program, tuple[Finding, ...]]:
    """The program in the table's language, and what is wrong with the translation.

    Where a translation is missing or cannot be read, the source's text stays.
    """
    work = _Translation(program, table)
    ops = tuple(map(work.op, program.ops))
    return msgspec.structs.replace(program, ops=ops), tuple(work.findings)


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
            return replace(op, prompt=self._words.get(ask_id(op), op.prompt))
        if isinstance(op, End):
            return replace(op, name=self._names.get(f"ending:{op.ending}", op.name))
        return op

    def _way(self, way: Way) -> Way:
        words = self._words.get(way.id, way.words)
        return msgspec.structs.replace(way, words=words)

    def _take(self, each: Told) -> None:
        row = self._rows.get(each.id)
        if row is None or not row.translation:
            # A name may well stay what it is; a line may not.
            if not each.id.startswith(NAMES):
                self._missing(each)
            return
        if note_of(row.note).was is not None or (row.text and row.text != each.text):
            self._changed(each, row)
        if each.id.startswith(NAMES):
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
        was = note_of(row.note).was
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
