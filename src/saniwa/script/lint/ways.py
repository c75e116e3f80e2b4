"""Ways: where flow goes round for ever, never comes, or runs on."""

from collections.abc import Iterator
from itertools import pairwise

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.script.lint.labels import SECTIONS
from saniwa.script.lint.telling import MOST_LINES, found
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Enter, Fall, Go, Offer
from saniwa.script.slug import slug


def loop_without_wait(story: Whole) -> Iterator[Finding]:
    """Circles that never wait."""
    program = story.program
    for circle in story.flow.circles():
        where = program.where(circle[0])
        lines = sorted({program.ops[address].line for address in circle})
        told = ", ".join(str(line) for line in lines[:MOST_LINES])
        through = f"lines {told}" if len(lines) > 1 else f"line {told}"
        yield found(
            "error",
            "LOOP_WITHOUT_WAIT",
            where,
            f"the story runs in a circle through {through} and never waits",
            "put a line, a choice or a [WAIT] into the circle, or a way out of it",
            lines=lines,
        )


def _sections(story: Whole) -> list[tuple[int, Enter]]:
    return [(at, op) for at, op in story.enters() if op.kind in SECTIONS]


def section_unreachable(story: Whole) -> Iterator[Finding]:
    """Sections no way leads to."""
    for address, op in _sections(story):
        if story.flow.reaches(address) or story.program.labels[op.label] != address:
            continue
        yield found(
            "warning",
            "SECTION_UNREACHABLE",
            story.program.where(address),
            f"no way leads to the section {quoted(op.name)}",
            f"link to it: [text](#{slug(op.name) or op.name})",
            label=op.name,
        )


def _by(story: Whole, fall: int) -> str:
    """Which options of the list before it run on, if not all of them do."""
    ops = story.program.ops
    for address, offer in story.ops(Offer):
        if offer.after != fall:
            continue
        ends = [
            op.line
            for at, op in enumerate(ops[address + 1 : fall], address + 1)
            if isinstance(op, Go) and op.to == fall and story.flow.goes_on(at)
        ]
        if 0 < len(ends) < len(offer.ways):
            told = ", ".join(map(str, ends[:MOST_LINES]))
            lines = f"line {told}" if len(ends) == 1 else f"lines {told}"
            return f" by the option on {lines}"
    return ""


def fall_through(story: Whole) -> Iterator[Finding]:
    """Sections that run on into the next one."""
    program = story.program
    # Where a choice runs dry, that is what has to be mended first.
    flow = story.flow
    dry = {offer.after for at, offer in story.ops(Offer) if flow.runs_dry(at)}
    for (before, left), (address, op) in pairwise(_sections(story)):
        fall = address - 1
        if fall in dry or not isinstance(program.ops[fall], Fall):
            continue
        if program.file_of(before) != program.file_of(address):
            continue
        if story.flow.goes_on(fall):
            yield found(
                "warning",
                "FALL_THROUGH",
                program.where(address),
                f"the section {quoted(left.name)} runs on into {quoted(op.name)}"
                + _by(story, fall),
                "end it with a link, such as "
                f"[text](#{slug(op.name) or op.name}), or an ending",
                section=left.name,
                into=op.name,
            )
