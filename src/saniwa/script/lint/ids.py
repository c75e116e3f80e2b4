"""Ids of lines and options: those that stand twice, are missing or are nowhere."""

from collections.abc import Iterator
from itertools import pairwise

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.value import shown
from saniwa.script.lint.telling import counted, found, guess, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Offer, Op, Speak, Way


def _files(story: Whole) -> Iterator[tuple[str, tuple[Op, ...]]]:
    """The operations of each file."""
    ops, files = story.program.ops, [*story.program.files, (len(story.program.ops), "")]
    for (start, file), (end, _) in pairwise(files):
        yield file, ops[start:end]


def _told(ops: tuple[Op, ...]) -> Iterator[Speak | Way]:
    """Every line and option, in order."""
    for op in ops:
        if isinstance(op, Speak):
            yield op
        elif isinstance(op, Offer):
            yield from op.ways


def _named(story: Whole) -> Iterator[tuple[str, Speak | Way]]:
    """Every line and option that has an id of its author's, with its file."""
    for file, ops in _files(story):
        for told in _told(ops):
            if told.named:
                yield file, told


def line_id_duplicate(story: Whole) -> Iterator[Finding]:
    """Ids that another line or option has."""
    known: dict[str, tuple[str, int]] = {}
    for file, told in _named(story):
        if told.id not in known:
            known[told.id] = (file, told.line)
            continue
        first, line = known[told.id]
        away = "" if first == file else f" of {first!r}"
        yield found(
            "error",
            "LINE_ID_DUPLICATE",
            _where_id(story, place(file, told.line, told.column), told.id),
            f"the id {quoted(told.id)} is already on line {line}{away}",
            "give one of the two another id",
            id=told.id,
            first=line,
            file=first,
        )


def _where_id(story: Whole, where: Where, id: str) -> Where:
    """Where an id is written: at the end of a line of its paragraph."""
    number, column = where.line, where.column
    while line := story.line(place(where.file, number, 1)).rstrip("\r"):
        at = line.rfind(f"#{id}", column - 1)
        if at >= 0 and (line[at + 1 + len(id) :][:1] or " ") in " \t}":
            return place(where.file, number, at + 1)
        number, column = number + 1, 1
    return where


def ids_missing(story: Whole) -> Iterator[Finding]:
    """Lines without an id where others have one."""
    for file, ops in _files(story):
        if not any(isinstance(op, Speak) and op.named for op in ops):
            continue
        bare = [told for told in _told(ops) if not told.named]
        if not bare:
            continue
        named = counted(len(bare), "line or option has", "lines and options have")
        yield found(
            "note",
            "IDS_MISSING",
            place(file, bare[0].line, bare[0].column),
            f"{named} no id",
            f"write them with: saniwa fmt --ids {file}",
            count=len(bare),
        )


def option_unresolved(story: Whole) -> Iterator[Finding]:
    """Questions about options that are nowhere."""
    if not story.calls["chosen"]:
        return
    ways = [way for _, offer in story.ops(Offer) for way in offer.ways]
    ids = {way.id for way in ways}
    named = {way.id for way in ways if way.named}
    for file, call in story.calls["chosen"]:
        option = call.given[0]
        if option is None or shown(option) in ids:
            continue
        near = story.near(shown(option), named)
        yield found(
            "warning",
            "OPTION_UNRESOLVED",
            place(file, call.line, call.column),
            f"there is no option with the id {quoted(option)}",
            guess(near, f"put {{#{shown(option)}}} at the end of the option meant"),
            id=option,
            **story.rewrite_given(file, call, near),
        )
