"""Choices: too few options, too many, none that can be taken or none that matters."""

from collections.abc import Iterator
from typing import Final

from saniwa.core.finding import Finding
from saniwa.script.flow import can_run_dry, is_sure
from saniwa.script.language.value import shown
from saniwa.script.lint.telling import found, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Enter, Fall, Go, Leap, Offer, Way

_MOST_SILENT: Final = 1_000
"""Operations looked at on the way from a choice back to it."""
MANY_OPTIONS: Final = 6
"""More options than this are hard to choose from."""


def choice_stuck(story: Whole) -> Iterator[Finding]:
    """Choices of which it may be that nothing can be taken."""
    for address, offer in story.ops(Offer):
        if story.flow.runs_dry(address):
            yield found(
                "warning",
                "CHOICE_STUCK",
                story.program.where(address),
                "it may be that none of these options can be taken",
                "add one without a condition, or one for that case: - text {else}",
                options=len(offer.ways),
            )


def option_empty(story: Whole) -> Iterator[Finding]:
    """Options that make no difference, whichever way the story came to them."""
    asked = {shown(call.given[0]) for _, call in story.calls["chosen"]}
    for address, offer in story.ops(Offer):
        empty = [way for way in offer.ways if _is_empty(story, offer, way)]
        if not empty or asked & {way.id for way in offer.ways}:
            continue
        repeats = story.flow.repeats(address)
        file = story.program.file_of(address)
        if any(story.is_excused_line("OPTION_EMPTY", file, w.line) for w in empty):
            continue
        lasting = [way for way in empty if not (way.once and repeats)]
        if len(lasting) == sum(not way.fallback for way in offer.ways):
            yield found(
                "warning",
                "OPTION_EMPTY",
                place(file, empty[0].line, empty[0].column),
                "choosing this does nothing: the same follows from every option",
                "link it, [text](#label), or indent what happens below it; "
                "write \\- for a list that is only text",
                options=len(empty),
            )
        elif repeats and _leads_back(story, address, offer.after):
            for way in lasting:
                yield found(
                    "warning",
                    "OPTION_EMPTY",
                    place(file, way.line, way.column),
                    "choosing this does nothing: the same choice follows",
                    "link it, [text](#label), or indent what happens below it",
                )


def _is_empty(story: Whole, offer: Offer, way: Way) -> bool:
    """Whether nothing belongs to an option but its words."""
    op = story.program.ops[way.to]
    goes_on = isinstance(op, Go) and op.to == offer.after
    return goes_on and not way.fallback and not way.ask


def _leads_back(story: Whole, address: int, at: int) -> bool:
    """Whether flow comes from here to a choice again with nothing on its way."""
    ops = story.program.ops
    for _ in range(_MOST_SILENT):
        op = ops[at]
        if isinstance(op, Go) or (isinstance(op, Leap) and op.to is not None):
            assert op.to is not None
            at = op.to
        elif isinstance(op, Enter | Fall | Leap):
            at += 1
        else:
            return at == address
    return False


def branch_single(story: Whole) -> Iterator[Finding]:
    """Choices of one."""
    for address, offer in story.ops(Offer):
        if len(offer.ways) == 1 and not can_run_dry(offer) and not offer.ways[0].ask:
            if story.is_excused("BRANCH_SINGLE", address):
                continue
            yield found(
                "warning",
                "BRANCH_SINGLE",
                story.program.where(address),
                "there is only one option to choose",
                "add another, or jump there without asking",
            )


def fallback_repeated(story: Whole) -> Iterator[Finding]:
    """Items for the case that nothing else can be taken, behind one that always can."""
    for address, offer in story.ops(Offer):
        fallbacks = [way for way in offer.ways if way.fallback]
        if len(fallbacks) < 2:
            continue
        sure = next((way for way in fallbacks if is_sure(way)), fallbacks[-1])
        for way in fallbacks[fallbacks.index(sure) + 1 :]:
            yield found(
                "warning",
                "FALLBACK_REPEATED",
                place(story.program.file_of(address), way.line, way.column),
                f"this {{else}} is never taken: the one on line {sure.line} always is",
                "leave one, or give the first a condition: {else} {if …}",
                first=sure.line,
            )


def options_many(story: Whole) -> Iterator[Finding]:
    """Choices of too many."""
    for address, offer in story.ops(Offer):
        count = sum(not way.fallback for way in offer.ways)
        if count > MANY_OPTIONS:
            yield found(
                "note",
                "OPTIONS_MANY",
                story.program.where(address),
                f"{count} options are more than the {MANY_OPTIONS} people take in at once",
                "offer some of them in a second choice",
                options=count,
            )
