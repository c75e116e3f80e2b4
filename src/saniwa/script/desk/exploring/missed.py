"""What no way through a story comes to, and where no way leads out."""

import msgspec

from saniwa.core.where import Where
from saniwa.script.beside import relative
from saniwa.script.desk.exploring.onward import Taken
from saniwa.script.desk.exploring.places import Survey
from saniwa.script.language.variation import Text
from saniwa.script.program import End, Offer, Program


class Missed(msgspec.Struct, frozen=True):
    """Something that no route comes to."""

    name: str
    """An ending's id, a section's name, an option's words."""
    line: str
    """Where it is written."""


class Trap(msgspec.Struct, frozen=True):
    """A part of the story from which nothing leads to an end any more."""

    choices: tuple[int, ...]
    """A shortest way into it."""
    lines: tuple[str, ...]
    """The decisions it consists of."""


def numbers_of(taken: tuple[Taken, ...] | list[Taken]) -> tuple[int, ...]:
    """The numbers that `saniwa trace --choices` takes."""
    return tuple(each.number for each in taken if each.numbered)


def line_of(program: Program, where: Where) -> str:
    """The line, with its file if that is not the story's first."""
    first = program.files[0][1]
    if where.file in ("", first):
        return str(where.line)
    return f"{relative(where.file, first)}:{where.line}"


def endings_missed(program: Program, found: Survey) -> tuple[Missed, ...]:
    """Endings that are written and never reached."""
    reached = {place.ending for place in found.places if place.kind == "ending"}
    missed: dict[str, Missed] = {}
    for address, op in enumerate(program.ops):
        if isinstance(op, End) and op.ending is not None and op.ending not in reached:
            line = line_of(program, program.where(address))
            missed.setdefault(op.ending, Missed(op.ending, line))
    return tuple(missed.values())


def sections_missed(program: Program, found: Survey) -> tuple[Missed, ...]:
    """Sections that are never reached."""
    return tuple(
        Missed(key, line_of(program, program.where(address)))
        for key, address in program.labels.items()
        if key not in found.sections
    )


def options_missed(program: Program, found: Survey) -> tuple[Missed, ...]:
    """Options that can never be taken, in sections that are reached."""
    reached = {"", *found.sections}
    return tuple(
        Missed(
            way.words.source if isinstance(way.words, Text) else way.words,
            line_of(program, Where(file=program.file_of(address), line=way.line)),
        )
        for address, op in enumerate(program.ops)
        if isinstance(op, Offer) and program.label_of(address) in reached
        for way in op.ways
        if way.id not in found.options
    )


def traps(program: Program, found: Survey) -> tuple[Trap, ...]:
    """All decisions from which no end can be reached, if there are any."""
    leading = _leading_out(found)
    caught = [n for n in range(len(found.places)) if n not in leading]
    if not caught:
        return ()
    lines = dict.fromkeys(line_of(program, found.places[n].where) for n in caught)
    return (Trap(numbers_of(found.way_to(caught[0])), tuple(lines)),)


def _leading_out(found: Survey) -> set[int]:
    """Places from which an end, or something nobody looked at, can be reached."""
    before: list[list[int]] = [[] for _ in found.places]
    for nth, place in enumerate(found.places):
        for _, to in place.ways:
            before[to].append(nth)
    waiting = [n for n, place in enumerate(found.places) if not place.ways]
    leading = set(waiting)
    while waiting:
        new = [n for n in before[waiting.pop()] if n not in leading]
        leading.update(new)
        waiting += new
    return leading
