"""Choices: too few options, too many, or none that can be taken."""

from collections.abc import Iterator
from typing import Final

from saniwa.core.finding import Finding
from saniwa.script.flow import can_run_dry
from saniwa.script.lint.telling import found
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
            yield found(
                "warning",
                "BRANCH_SINGLE",
                story.program.where(address),
                "there is only one option to choose",
                "add another, or jump there without asking",
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
