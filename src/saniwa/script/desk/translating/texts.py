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
    """The line's or option's id; `title`, `speaker:…`, `ask:…` and `ending:…` else."""
    speaker: str
    """Who speaks."""
    text: str
    """As it is written, braces and all."""
    where: Where
    """Where it is written."""


def told(program: Program, title: str = "") -> Iterator[Told]:
    """Every text people read, once each: title, speakers, then all in reading order."""
    known: set[str] = set()
    for each in (*_title(program, title), *_speakers(program), *_in_order(program)):
        if each.id not in known:
            known.add(each.id)
            yield each


def title_id(program: Program) -> str:
    """The id of the title: `title`, or `title:` where a line is called that."""
    return "title:" if any(each.id == "title" for each in _lines(program)) else "title"


def _title(program: Program, title: str) -> Iterator[Told]:
    if title:
        file = program.file_of(0) if program.ops else ""
        yield Told(title_id(program), "", title, Where(file=file))


def _speakers(program: Program) -> Iterator[Told]:
    for address, op in enumerate(program.ops):
        if isinstance(op, Speak) and op.speaker:
            id, where = f"speaker:{op.speaker}", program.where(address)
            yield Told(id, "", op.speaker, where)


def _in_order(program: Program) -> list[Told]:
    """The texts as the author wrote them: what follows an option stands below it."""
    found = list(_lines(program))
    files = {each.where.file: nth for nth, each in enumerate(reversed(found))}

    def place(each: Told) -> tuple[int, int, int]:
        return -files[each.where.file], each.where.line, each.where.column

    return sorted(found, key=place)


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
