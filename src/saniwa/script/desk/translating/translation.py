"""A program in another language.

Ids, flow and counts stay those of the source, so a save moves between languages.
"""

import msgspec

from saniwa.core.finding import Finding, Report, Severity
from saniwa.core.quoted import cut, quoted
from saniwa.core.where import Where
from saniwa.script.desk.translating.merging import note_of
from saniwa.script.desk.translating.table import Row, Table
from saniwa.script.desk.translating.texts import NAMES, Told, ask_id, title_id, told
from saniwa.script.language.words import Words, expressions, parse_words
from saniwa.script.program import End, Hear, Offer, Op, Program, Speak, Way
from saniwa.script.story import Story

_LONGEST = 1_000
"""Letters of a text that a message quotes."""


def translated(program: Program, table: Table) -> tuple[Program, tuple[Finding, ...]]:
    """The program in the table's language, and what is wrong with the translation.

    Where a translation is missing or cannot be read, the source's text stays.
    """
    work = _Translation(program, table)
    ops = tuple(map(work.op, program.ops))
    return msgspec.structs.replace(program, ops=ops), tuple(work.findings)


def translated_story(story: Story, table: Table) -> Story:
    """The whole story in the table's language, its title too; the report tells more."""
    first, *others = story.scenes
    work = _Translation(story.program, table, first.title)
    title = work.names.get(title_id(story.program), first.title)
    replace = msgspec.structs.replace
    return replace(
        story,
        scenes=(replace(first, title=title), *others),
        program=replace(story.program, ops=tuple(map(work.op, story.program.ops))),
        report=Report.of((*story.report.findings, *work.findings)),
    )


class _Translation:
    """One program being put into one language."""

    def __init__(self, program: Program, table: Table, title: str = "") -> None:
        self.findings: list[Finding] = []
        self.names: dict[str, str] = {}
        self._file = table.file
        self._rows = {row.id: row for row in table.rows}
        self._words: dict[str, Words] = {}
        self._title = title_id(program)
        for each in told(program, title):
            self._take(each)

    def op(self, op: Op) -> Op:
        """The operation in the other language."""
        replace = msgspec.structs.replace
        if isinstance(op, Speak):
            speaker = self.names.get(f"speaker:{op.speaker}", op.speaker)
            words = self._words.get(op.id, op.words)
            return replace(op, speaker=speaker, words=words)
        if isinstance(op, Offer):
            return replace(op, ways=tuple(map(self._way, op.ways)))
        if isinstance(op, Hear):
            return replace(op, prompt=self._words.get(ask_id(op), op.prompt))
        if isinstance(op, End):
            return replace(op, name=self.names.get(f"ending:{op.ending}", op.name))
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
        if note_of(row).was is not None or (row.text and row.text != each.text):
            self._changed(each, row)
        if each.id.startswith(NAMES) or each.id == self._title:
            self.names[each.id] = row.translation
        else:
            self._read(each, row)

    def _read(self, each: Told, row: Row) -> None:
        words, problems = parse_words(row.translation, row.line, 1)
        source, _ = parse_words(each.text, 0, 1)
        strange = _names(words) - _names(source)
        if problems:
            first = problems[0]
            self._malformed(each, row, first.message, first.hint)
        elif _rolls(words) != _rolls(source):
            message = "roll(…) must stand in it as often and in the order of the source"
            hint = "else the story would go another way"
            self._malformed(each, row, message, hint)
        else:
            self._words[each.id] = words
            for name in sorted(strange):
                message = f"it shows {quoted(name)}, which the source does not"
                hint = "use the names that the source uses"
                self._malformed(each, row, message, hint, "warning")

    def _missing(self, each: Told) -> None:
        message = f"{_whole(each.text)} has no translation"
        hint = f"give the row {each.id} one; until then the source's text is shown"
        self._add("TRANSLATION_MISSING", "warning", message, each.where, hint, each)

    def _changed(self, each: Told, row: Row) -> None:
        was = note_of(row).was
        old = row.text if was is None else was
        message = f"{_whole(old)} is {_whole(each.text)} now"
        hint = "look the translation over, then empty its note"
        if was is None:
            hint = f"run saniwa story strings first, then {hint}"
        where = Where(file=self._file, line=row.line)
        self._add("TRANSLATION_CHANGED", "warning", message, where, hint, each)

    def _malformed(
        self, each: Told, row: Row, why: str, hint: str, severity: Severity = "error"
    ) -> None:
        judged = "cannot be used" if severity == "error" else "may be wrong"
        message = f"the translation of {_whole(each.text)} {judged}: {why}"
        where = Where(file=self._file, line=row.line)
        self._add("TRANSLATION_MALFORMED", severity, message, where, hint, each)

    def _add(
        self,
        code: str,
        severity: Severity,
        message: str,
        where: Where,
        hint: str,
        each: Told,
    ) -> None:
        self.findings.append(
            Finding(
                code=code,
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details={"id": each.id, "text": each.text},
            )
        )


def _whole(text: str) -> str:
    # Not `quoted`: a translator works on the whole text, and looks for it.
    return cut(repr(text), _LONGEST)


def _names(words: Words) -> set[str]:
    return {name.name for each in expressions(words) for name in each.names}


def _rolls(words: Words) -> list[str]:
    return [
        each.source
        for each in expressions(words)
        if any(call.name == "roll" for call in each.calls)
    ]
