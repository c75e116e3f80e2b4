"""A table of translations brought up to date with its story."""

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from saniwa.script.desk.translating.table import Row, Table
from saniwa.script.desk.translating.texts import NAMES, Told, told
from saniwa.script.program import Program

_CHANGED = "changed: "
_GONE = "gone"


def merged(program: Program, table: Table, title: str = "") -> Table:
    """The table brought up to date with the story; no translation or note is lost.

    A changed text keeps its translation and is noted; a text that is gone moves to the
    end, unless nobody had written anything beside it. A text that goes by another id
    now, as when ids were written into the file, keeps what it had.
    """
    texts = list(told(program, title))
    before = {row.id: row for row in table.rows}
    known = {each.id: before.pop(each.id, None) for each in texts}
    moved = _by_text(before.values())
    empty = ("",) * len(table.more)
    rows = []
    for each in texts:
        row = known[each.id]
        if row is None and moved[each.speaker, each.text]:
            row = moved[each.speaker, each.text].popleft()
            del before[row.id]
        rows.append(_updated(each, row, empty))
    rows += [_gone(row) for row in before.values() if _worth_keeping(row)]
    return Table(file=table.file, rows=tuple(rows), more=table.more)


def _by_text(rows: Iterable[Row]) -> dict[tuple[str, str], deque[Row]]:
    found = defaultdict[tuple[str, str], deque[Row]](deque)
    for row in rows:
        if row.text:
            found[row.speaker, row.text].append(row)
    return found


def standing(row: Row) -> Literal["done", "missing", "changed", "gone"]:
    """How far the translation of a row is."""
    note = note_of(row)
    if note.gone:
        return "gone"
    if not row.translation:
        return "done" if row.id.startswith(NAMES) else "missing"
    return "done" if note.was is None else "changed"


class Note(NamedTuple):
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


def note_of(row: Row) -> Note:
    """The note of a row in its parts.

    Only what we would have written there is ours: `changed: …` stands beside a
    translation, and `gone` alone where something else is worth keeping.
    """
    text, was = row.note, None
    if row.translation:
        text, was = _parted(text)
    alone = text == _GONE and bool(row.translation or any(row.more))
    gone = alone or text.endswith(f"\n{_GONE}")
    own = text.removesuffix(_GONE).removesuffix("\n") if gone else text
    return Note(own, gone, was)


def _parted(text: str) -> tuple[str, str | None]:
    """A note, and what follows `changed: ` in its last part."""
    at = 0 if text.startswith(_CHANGED) else text.find(f"\n{_CHANGED}") + 1
    was = text[at + len(_CHANGED) :] if text.startswith(_CHANGED, at) else ""
    return (text[:at].removesuffix("\n"), was) if was else (text, None)


def _updated(each: Told, before: Row | None, empty: tuple[str, ...]) -> Row:
    if before is None:
        return Row(id=each.id, speaker=each.speaker, text=each.text, more=empty)
    note = note_of(before)
    was: str | None = before.text if note.was is None else note.was
    if not before.translation or not was or was == each.text:
        was = None
    return Row(
        id=each.id,
        speaker=each.speaker,
        text=each.text,
        translation=before.translation,
        note=str(Note(note.own, False, was)),
        more=before.more,
        line=before.line,
    )


def _gone(row: Row) -> Row:
    note = note_of(row)
    return msgspec.structs.replace(row, note=str(Note(note.own, True, note.was)))


def _worth_keeping(row: Row) -> bool:
    return bool(row.translation or note_of(row).own or any(row.more))
