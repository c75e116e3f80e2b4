"""Checks of choices, options and ids.

Choices with too few or too many options, or none that can be taken; options without
effect; ids that are duplicate, missing or unknown.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.story.evaluation import format_value
from saniwa.story.flow import can_be_empty, is_always_open
from saniwa.story.lint.context import (
    LintContext,
    format_count,
    make_finding,
    make_place,
    suggest_name,
)
from saniwa.story.program import EnterOp, FallOp, GoOp, JumpOp, OfferOp, OfferOption, Op, SpeakOp

_MOST_SILENT: Final = 1_000
"""The most operations followed from a choice back to it."""
MANY_OPTIONS: Final = 6
"""More options than this are hard to choose from."""


def find_stuck_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices of which possibly no option can be taken."""
    for address, offer in story.list_ops(OfferOp):
        if story.flow.can_offer_nothing(address):
            yield make_finding(
                "warning",
                "CHOICE_STUCK",
                story.program.locate_op(address),
                "it may be that none of these options can be taken",
                "add one without a condition, or one for that case: - text {else}",
                options=len(offer.ways),
            )


def find_empty_options(story: LintContext) -> Iterator[Finding]:
    """Find options that make no difference, whatever happened before."""
    asked = {format_value(call.given[0]) for _, call in story.calls["chosen"]}
    for address, offer in story.list_ops(OfferOp):
        empty = [way for way in offer.ways if _is_empty_option(story, offer, way)]
        if not empty or asked & {way.id for way in offer.ways}:
            continue
        repeats = story.flow.can_repeat(address)
        file = story.program.find_file(address)
        if any(story.is_excused_line("OPTION_EMPTY", file, w.line) for w in empty):
            continue
        lasting = [way for way in empty if not (way.once and repeats)]
        if len(lasting) == sum(not way.fallback for way in offer.ways):
            yield make_finding(
                "warning",
                "OPTION_EMPTY",
                make_place(file, empty[0].line, empty[0].column),
                "choosing this does nothing: the same follows from every option",
                "link it, [text](#label), or indent what happens below it; "
                "write \\- for a list that is only text",
                options=len(empty),
            )
        elif repeats and _leads_back(story, address, offer.after):
            for way in lasting:
                yield make_finding(
                    "warning",
                    "OPTION_EMPTY",
                    make_place(file, way.line, way.column),
                    "choosing this does nothing: the same choice follows",
                    "link it, [text](#label), or indent what happens below it",
                )


def _is_empty_option(story: LintContext, offer: OfferOp, way: OfferOption) -> bool:
    """Whether an option has nothing but its text."""
    op = story.program.ops[way.to]
    goes_on = isinstance(op, GoOp) and op.to == offer.after
    return goes_on and not way.fallback and not way.ask


def _leads_back(story: LintContext, address: int, at: int) -> bool:
    """Whether flow returns from here to the choice with nothing on the way."""
    ops = story.program.ops
    for _ in range(_MOST_SILENT):
        op = ops[at]
        if isinstance(op, GoOp) or (isinstance(op, JumpOp) and op.to is not None):
            assert op.to is not None
            at = op.to
        elif isinstance(op, EnterOp | FallOp | JumpOp):
            at += 1
        else:
            return at == address
    return False


def find_single_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices with only one option."""
    for address, offer in story.list_ops(OfferOp):
        if len(offer.ways) == 1 and not can_be_empty(offer) and not offer.ways[0].ask:
            if story.is_excused("BRANCH_SINGLE", address):
                continue
            yield make_finding(
                "warning",
                "BRANCH_SINGLE",
                story.program.locate_op(address),
                "there is only one option to choose",
                "add another, or jump there without asking",
            )


def find_repeated_fallbacks(story: LintContext) -> Iterator[Finding]:
    """Find fallbacks after another that can always be taken."""
    for address, offer in story.list_ops(OfferOp):
        fallbacks = [way for way in offer.ways if way.fallback]
        if len(fallbacks) < 2:
            continue
        sure = next((way for way in fallbacks if is_always_open(way)), fallbacks[-1])
        for way in fallbacks[fallbacks.index(sure) + 1 :]:
            yield make_finding(
                "warning",
                "FALLBACK_REPEATED",
                make_place(story.program.find_file(address), way.line, way.column),
                f"this {{else}} is never taken: the one on line {sure.line} always is",
                "leave one, or give the first a condition: {else} {if …}",
                first=sure.line,
            )


def find_long_choices(story: LintContext) -> Iterator[Finding]:
    """Find choices with too many options."""
    for address, offer in story.list_ops(OfferOp):
        count = sum(not way.fallback for way in offer.ways)
        if count > MANY_OPTIONS:
            yield make_finding(
                "note",
                "OPTIONS_MANY",
                story.program.locate_op(address),
                f"{count} options are more than the {MANY_OPTIONS} people take in at once",
                "offer some of them in a second choice",
                options=count,
            )


def _list_file_ops(story: LintContext) -> Iterator[tuple[str, tuple[Op, ...]]]:
    """Yield the operations of each file."""
    ops, files = story.program.ops, [*story.program.files, (len(story.program.ops), "")]
    for (start, file), (end, _) in pairwise(files):
        yield file, ops[start:end]


def _list_texts(ops: tuple[Op, ...]) -> Iterator[SpeakOp | OfferOption]:
    """Yield every line and option, in order."""
    for op in ops:
        if isinstance(op, SpeakOp):
            yield op
        elif isinstance(op, OfferOp):
            yield from op.ways


def _list_author_ids(story: LintContext) -> Iterator[tuple[str, SpeakOp | OfferOption]]:
    """Yield every line and option with an id of the author's, with its file."""
    for file, ops in _list_file_ops(story):
        for entry in _list_texts(ops):
            if entry.named:
                yield file, entry


def find_duplicate_ids(story: LintContext) -> Iterator[Finding]:
    """Find ids that another line or option has."""
    known: dict[str, tuple[str, int]] = {}
    for file, entry in _list_author_ids(story):
        if entry.id not in known:
            known[entry.id] = (file, entry.line)
            continue
        first, line = known[entry.id]
        away = "" if first == file else f" of {first!r}"
        yield make_finding(
            "error",
            "LINE_ID_DUPLICATE",
            _locate_id(story, make_place(file, entry.line, entry.column), entry.id),
            f"the id {quote_value(entry.id)} is already on line {line}{away}",
            "give one of the two another id",
            id=entry.id,
            first=line,
            file=first,
        )


def _locate_id(story: LintContext, where: SourceLocation, id: str) -> SourceLocation:
    """Locate an id: at the end of a line of its paragraph."""
    number, column = where.line, where.column
    while line := story.get_line(make_place(where.file, number, 1)).rstrip("\r"):
        at = line.rfind(f"#{id}", column - 1)
        if at >= 0 and (line[at + 1 + len(id) :][:1] or " ") in " \t}":
            return make_place(where.file, number, at + 1)
        number, column = number + 1, 1
    return where


def find_missing_ids(story: LintContext) -> Iterator[Finding]:
    """Find lines without an id in files where others have one."""
    for file, ops in _list_file_ops(story):
        if not any(isinstance(op, SpeakOp) and op.named for op in ops):
            continue
        bare = [entry for entry in _list_texts(ops) if not entry.named]
        if not bare:
            continue
        named = format_count(len(bare), "line or option has", "lines and options have")
        yield make_finding(
            "note",
            "IDS_MISSING",
            make_place(file, bare[0].line, bare[0].column),
            f"{named} no id",
            f"write them with: saniwa fmt --ids {file}",
            count=len(bare),
        )


def find_unresolved_options(story: LintContext) -> Iterator[Finding]:
    """Find `chosen(…)` calls about options that do not exist."""
    if not story.calls["chosen"]:
        return
    ways = [way for _, offer in story.list_ops(OfferOp) for way in offer.ways]
    ids = {way.id for way in ways}
    named = {way.id for way in ways if way.named}
    for file, call in story.calls["chosen"]:
        option = call.given[0]
        if option is None or format_value(option) in ids:
            continue
        near = story.find_near(format_value(option), named)
        yield make_finding(
            "warning",
            "OPTION_UNRESOLVED",
            make_place(file, call.line, call.column),
            f"there is no option with the id {quote_value(option)}",
            suggest_name(near, f"put {{#{format_value(option)}}} at the end of the option meant"),
            id=option,
            **story.make_argument_rewrite(file, call, near),
        )
