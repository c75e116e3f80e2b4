"""Checks of labels, links, sections and loops.

Labels that are duplicate, missing or unused; sections that are unreachable or run on
into the next; loops without a wait.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.story.evaluation import format_value
from saniwa.story.links import is_outside_folder, join_link, make_slug, to_relative
from saniwa.story.lint.context import (
    MOST_LINES,
    LintContext,
    make_finding,
    make_place,
    suggest_name,
)
from saniwa.story.program import EnterOp, FallOp, GoOp, OfferOp

SECTIONS: Final = frozenset({"section", "scene"})
"""Labels that begin a part of the story."""


def find_duplicate_labels(story: LintContext) -> Iterator[Finding]:
    """Find labels whose name another one has."""
    ops, labels = story.program.ops, story.program.labels
    for address, op in story.list_enter_ops():
        first = ops[labels[op.label]]
        if first is op or not isinstance(first, EnterOp):
            continue
        name = quote_value(op.name)
        again = f"{name} is already on line {first.line}"
        alike = f"{name} is the same as {quote_value(first.name)} on line {first.line}"
        yield make_finding(
            "error",
            "LABEL_DUPLICATE",
            _locate_name(story, address, op),
            f"the label {again if op.name == first.name else alike}",
            "rename one of the two: every jump goes to the first",
            label=op.name,
            first=first.line,
        )


def _locate_name(story: LintContext, address: int, op: EnterOp) -> SourceLocation:
    """Locate a label's name."""
    where = story.program.locate_op(address)
    at = story.get_line(where).find(op.name, where.column - 1)
    return where if at < 0 else make_place(where.file, where.line, at + 1)


def find_unresolved_labels(story: LintContext) -> Iterator[Finding]:
    """Find links to labels that do not exist."""
    for file, target, to in story.program.links:
        if to is not None:
            continue
        names = story.labels.get(join_link(file, target.file))
        if names is None:
            continue
        near = story.find_near(target.label, names)
        where = make_place(file, target.line, target.column)
        yield make_finding(
            "warning",
            "LABEL_UNRESOLVED",
            where,
            f"there is no label {quote_value(target.label)} to go to",
            suggest_name(near, "add a heading of that name; until then flow goes on here"),
            label=target.label,
            **story.make_rewrite(where, target.label, _format_label(story, where, near)),
        )


def find_unresolved_files(story: LintContext) -> Iterator[Finding]:
    """Find links to files that do not exist."""
    files = list(story.labels)
    others: dict[str, list[str]] = {}
    for file, target, to in story.program.links:
        if to is not None:
            continue
        home = join_link(file, target.file)
        # Files outside the story's folder were reported when they were not read.
        if home in story.labels or is_outside_folder(home, files[0]):
            continue
        if file not in others:
            others[file] = [to_relative(name, file) for name in files if name != file]
        yield make_finding(
            "warning",
            "LABEL_UNRESOLVED",
            make_place(file, target.line, target.column),
            f"there is no file {quote_value(target.file)} to go to",
            suggest_name(
                _suggest_own_label(story, file, target.file)
                or story.find_near(target.file, others[file]),
                "add the file, or mend the link",
            ),
            file=target.file,
        )


def _suggest_own_label(story: LintContext, file: str, name: str) -> str:
    """Suggest a label of the same file, if only its # is missing."""
    meant = make_slug(name)
    exists = any(make_slug(label) == meant for label in story.labels.get(file, ()))
    return f"#{meant}" if meant and exists else ""


def _format_label(story: LintContext, where: SourceLocation, name: str) -> str:
    """Format a label for this place: links have no spaces."""
    before = story.get_line(where)[: where.column - 1]
    plain = not before.endswith("#") and not set(name) & set(' \t",[]()')
    return name if plain else make_slug(name)


def find_unresolved_visits(story: LintContext) -> Iterator[Finding]:
    """Find `visits(…)` calls about labels that do not exist."""
    aliases = story.program.aliases
    names = [op.name for _, op in story.list_enter_ops()]
    for file, call in story.calls["visits"]:
        label = call.given[0]
        if label is None or format_value(label) in aliases:
            continue
        near = story.find_near(format_value(label), names)
        yield make_finding(
            "warning",
            "LABEL_UNRESOLVED",
            make_place(file, call.line, call.column),
            f"there is no label {quote_value(label)} whose visits could be counted",
            suggest_name(near, "name a heading or a [LABEL] of the story"),
            label=label,
            **story.make_argument_rewrite(file, call, near),
        )


def find_unused_labels(story: LintContext) -> Iterator[Finding]:
    """Find labels that nothing leads to."""
    aliases, labels = story.program.aliases, story.program.labels
    counted = [call.given[0] for _, call in story.calls["visits"]]
    if None in counted:
        return
    used = {link.to for link in story.program.links}
    used |= {labels[aliases[key]] for key in map(format_value, counted) if key in aliases}
    for address, op in story.list_enter_ops():
        if op.kind in SECTIONS or address in used or labels[op.label] != address:
            continue
        yield make_finding(
            "note",
            "LABEL_UNUSED",
            story.program.locate_op(address),
            f"nothing goes to the label {quote_value(op.name)}",
            "jump to it, or take it out",
            label=op.name,
        )


def find_loops_without_wait(story: LintContext) -> Iterator[Finding]:
    """Find loops that never wait."""
    program = story.program
    for circle in story.flow.find_loops():
        where = program.locate_op(circle[0])
        lines = sorted({program.ops[address].line for address in circle})
        listed = ", ".join(str(line) for line in lines[:MOST_LINES])
        through = f"lines {listed}" if len(lines) > 1 else f"line {listed}"
        yield make_finding(
            "error",
            "LOOP_WITHOUT_WAIT",
            where,
            f"the story runs in a circle through {through} and never waits",
            "put a line, a choice or a [WAIT] into the circle, or a way out of it",
            lines=lines,
        )


def _list_sections(story: LintContext) -> list[tuple[int, EnterOp]]:
    return [(at, op) for at, op in story.list_enter_ops() if op.kind in SECTIONS]


def find_unreachable_sections(story: LintContext) -> Iterator[Finding]:
    """Find unreachable sections."""
    for address, op in _list_sections(story):
        if story.flow.is_reachable(address) or story.program.labels[op.label] != address:
            continue
        yield make_finding(
            "warning",
            "SECTION_UNREACHABLE",
            story.program.locate_op(address),
            f"no way leads to the section {quote_value(op.name)}",
            f"link to it: [text](#{make_slug(op.name) or op.name})",
            label=op.name,
        )


def _describe_options(story: LintContext, fall: int) -> str:
    """Describe which options of the list before it run on, if not all do."""
    ops = story.program.ops
    for address, offer in story.list_ops(OfferOp):
        if offer.after != fall:
            continue
        ends = [
            op.line
            for at, op in enumerate(ops[address + 1 : fall], address + 1)
            if isinstance(op, GoOp) and op.to == fall and story.flow.is_reachable_outside_call(at)
        ]
        if 0 < len(ends) < len(offer.ways):
            listed = ", ".join(map(str, ends[:MOST_LINES]))
            lines = f"line {listed}" if len(ends) == 1 else f"lines {listed}"
            return f" by the option on {lines}"
    return ""


def find_fall_through(story: LintContext) -> Iterator[Finding]:
    """Find sections that run on into the next one."""
    program = story.program
    # If a choice may offer nothing, that must be corrected first.
    flow = story.flow
    empty_offers = {
        offer.after for at, offer in story.list_ops(OfferOp) if flow.can_offer_nothing(at)
    }
    for (before, previous), (address, op) in pairwise(_list_sections(story)):
        fall = address - 1
        if fall in empty_offers or not isinstance(program.ops[fall], FallOp):
            continue
        if program.find_file(before) != program.find_file(address):
            continue
        if story.flow.is_reachable_outside_call(fall):
            yield make_finding(
                "warning",
                "FALL_THROUGH",
                program.locate_op(address),
                f"the section {quote_value(previous.name)} runs on into {quote_value(op.name)}"
                + _describe_options(story, fall),
                "end it with a link, such as "
                f"[text](#{make_slug(op.name) or op.name}), or an ending",
                section=previous.name,
                into=op.name,
            )
