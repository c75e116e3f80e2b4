"""Every text of a story that people read, under the id its translation goes by."""

from collections.abc import Iterator
from typing import Final, NamedTuple
from zlib import crc32

from saniwa.core.where import Where
from saniwa.script.desk.rewriting.spelling import written
from saniwa.script.program import End, Hear, Offer, Program, Speak

NAMES: Final = ("speaker:", "ending:")
"""How ids of names begin; these may stay as they are in another language."""


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


def _speakers(program: Program) -> Iterator[Told]:
    for address, op in enumerate(program.ops):
        if isinstance(op, Speak) and op.speaker:
            id, where = f"speaker:{op.speaker}", program.where(address)
            yield Told(id, "", op.speaker, where)


def _lines(program: Program) -> Iterator[Told]:
    for address, op in enumerate(program.ops):
        where = program.where(address)
        if isinstance(op, Speak):
            yield Told(op.id, op.speaker, written(op.words), where)
        elif isinstance(op, Offer):
            for way in op.ways:
                place = Where(file=where.file, line=way.line, column=way.column)
                yield Told(way.id, "", written(way.words), place)
        elif isinstance(op, Hear) and op.prompt:
            yield Told(ask_id(op), "", written(op.prompt), where)
        elif isinstance(op, End) and op.name:
            yield Told(f"ending:{op.ending}", "", op.name, where)


def ask_id(op: Hear) -> str:
    """The id of a question: made of its words, since it has none."""
    raw = written(op.prompt).encode("utf-8", "surrogatepass")
    return f"ask:{crc32(raw):08x}"
