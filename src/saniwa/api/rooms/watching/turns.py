"""One turn, taken apart: what was heard, how it was judged and by which rule, what came."""

from collections.abc import Iterator
from typing import Any

import msgspec

from saniwa.api.rooms.watching.differences import Differs, differences
from saniwa.api.rooms.watching.lines import TurnLine, line_of
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.verdict import Verdict
from saniwa.run.conductor import Run
from saniwa.run.lens import Lens
from saniwa.script.directive import Say
from saniwa.turn.narrate import tell_action
from saniwa.turn.own_words import claims_of_actions, own_words
from saniwa.turn.play import worlds_after
from saniwa.turn.trace import Turn
from saniwa.world.action import Action
from saniwa.world.model import World


class RuleSaid(msgspec.Struct, frozen=True, kw_only=True):
    """The check that decided, as the book of its time has it."""

    action_type: str
    """The rule it belongs to; `*` for one that holds for every action."""
    check: str
    """Its id within the rule."""
    description: str = ""
    """What it asks, in the author's words."""
    condition: Any = None
    """What must hold, as data."""
    fail_reason: str = ""
    """The word for a refusal by it."""


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One action that was tried, and how it was judged."""

    claim: Any
    """What the parser heard."""
    action: Action
    """What was understood."""
    sentence: str
    """The same in a few words of the world's language."""
    verdict: Verdict
    """What the rulebook said."""
    rule: RuleSaid | None = None
    """The check that refused it; None for what passed, and for a law of the world."""


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """A line of story."""

    speaker: str
    """Who says it; empty for the narrator."""
    text: str
    """The line."""


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, taken apart."""

    line: TurnLine
    """It in one line."""
    turn: Turn
    """It as it is kept."""
    deeds: list[Deed] = []
    """What was tried, in order."""
    differs: list[Differs] = []
    """What is otherwise than before."""
    told: list[Telling] = []
    """What the actor was told."""
    book: str = ""
    """The name of the book that judged."""
    turns: int = 0
    """How many turns the run has."""


def view_of(lens: Lens, number: int) -> TurnView:
    """A turn of a run, taken apart.

    Raises:
        SaniwaError: The store or the book cannot be read.
    """
    run = lens.run
    turn = next(run.turns(number))
    before, after = run.world_after(number - 1), run.world_after(number)
    book = lens.book(number)
    return TurnView(
        line=line_of(turn, after),
        turn=turn,
        deeds=[*_deeds(turn, before, book)],
        differs=differences(before, after),
        told=_told(run, turn),
        book=book.id,
        turns=run.count,
    )


def _deeds(turn: Turn, before: World, book: Rulebook) -> Iterator[Deed]:
    worlds, world = worlds_after(turn, before), before
    judged = zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_of_actions(turn),
        strict=True,
    )
    for action, verdict, claim in judged:
        yield Deed(
            claim=claim,
            action=action,
            sentence=tell_action(action, world, own_words(action, claim, world)),
            verdict=verdict,
            rule=None if verdict.success else rule_of(verdict.check, book),
        )
        if verdict.success:
            world = next(worlds)


def rule_of(name: str, book: Rulebook) -> RuleSaid | None:
    """The check of a book that has this name, such as `take.in_scope`."""
    rule, _, check = name.partition(".")
    for each in book.document["rules"]:
        known = [own for own in each["checks"] if own["id"] == check]
        if each["actionType"] == rule and known:
            return RuleSaid(
                action_type=rule,
                check=check,
                description=known[0].get("description", ""),
                condition=known[0].get("condition"),
                fail_reason=known[0].get("failReason", ""),
            )
    return None


def _told(run: Run, turn: Turn) -> list[Telling]:
    if turn.aside is not None:
        return []
    shown = run.told(turn.number).step.directives
    return [
        Telling(speaker=each.args.speaker, text=each.args.text)
        for each in shown
        if isinstance(each, Say)
    ]
