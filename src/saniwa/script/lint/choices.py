"""Choices: too few options, too many, or none that can be taken."""

from collections.abc import Iterator
from typing import Final

from saniwa.core.finding import Finding
from saniwa.script.flow import can_run_dry, is_sure
from saniwa.script.lint.telling import found, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Offer

MANY_OPTIONS: Final = 6
"""More options than this are hard to choose from."""


def choice_stuck(story: Whole) -> Iterator[Finding]:
    """Choices of which it may be that nothing can be taken."""
    for address, offer in story.ops(Offer):
        if can_run_dry(offer):
            yield found(
                "warning",
                "CHOICE_STUCK",
                story.program.where(address),
                "it may be that none of these options can be taken",
                "add one without a condition, or one for that case: - text {else}",
                options=len(offer.ways),
            )


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
