"""Other rules tried against the world as it stands, before they count."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook, taught
from saniwa.rulebook.judge import judge
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.narrate import tell_action
from saniwa.turn.preview import Preview
from saniwa.world.action import Action
from saniwa.world.model import Id, World

MOST: Final = 200
"""Actions that are told."""


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """An action that would be judged otherwise."""

    action: Action
    """The action."""
    sentence: str
    """The same in a few words of the world's language."""
    before: Verdict
    """What the book of now says."""
    after: Verdict
    """What the edited book would say."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """Some words, as both books would have them."""

    before: list[str]
    """What would come of them by the book of now, a sentence each."""
    after: list[str]
    """What would come of them by the edited book."""
    verdicts_before: list[Verdict] = []
    """What the book of now says to each action."""
    verdicts_after: list[Verdict] = []
    """What the edited book would say."""
    same: bool = True
    """Whether both say the same."""


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What would be otherwise under other rules."""

    actor: str
    """Whose actions were weighed."""
    allowed_before: int
    """How many actions the book of now allows."""
    allowed_after: int
    """How many the edited book would allow."""
    newly_allowed: list[Weighed] = []
    """What only the edited book would allow."""
    newly_refused: list[Weighed] = []
    """What only the book of now allows."""
    words: Heard | None = None
    """The words that were to be tried, if any."""


def tried(
    world: World, actor: Id, now: Rulebook, then: Rulebook, words: Heard | None = None
) -> Tried:
    """Every action of somebody that one of two books allows and the other does not."""
    before, after = admissible(world, actor, now), admissible(world, actor, then)
    old, new = set(before), set(after)

    def weighed(actions: Iterator[Action], by: Rulebook) -> list[Weighed]:
        speaking = taught(world, by)
        return [
            Weighed(
                action=action,
                sentence=tell_action(action, speaking),
                before=judge(action, world, now),
                after=judge(action, world, then),
            )
            for action in islice(actions, MOST)
        ]

    return Tried(
        actor=actor,
        allowed_before=len(before),
        allowed_after=len(after),
        newly_allowed=weighed((each for each in after if each not in old), then),
        newly_refused=weighed((each for each in before if each not in new), now),
        words=words,
    )


def heard(before: Preview, after: Preview) -> Heard:
    """Some words, as both books would have them."""
    old, new = before.turn.validation_results, after.turn.validation_results
    return Heard(
        before=[*before.sentences],
        after=[*after.sentences],
        verdicts_before=[*old],
        verdicts_after=[*new],
        same=old == new and before.sentences == after.sentences,
    )
