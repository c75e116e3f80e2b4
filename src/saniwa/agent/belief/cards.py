"""What did not come to pass in a character's own turn, as cards it can learn from.

A card never names what the speaker does not see: it has the speaker's words for it, or
the reason alone.
"""

from collections.abc import Iterable, Iterator

from saniwa.agent.belief.attempts import Attempt, attempts
from saniwa.agent.belief.model import Card, Memory
from saniwa.agent.belief.phrases import phrase
from saniwa.core.quoted import cut
from saniwa.turn.narrate import tell_action
from saniwa.turn.own_words import own_words
from saniwa.turn.refusal import in_own_words
from saniwa.turn.trace import Turn
from saniwa.turn.way import ways_out
from saniwa.world import action as act
from saniwa.world.model import World
from saniwa.world.view import room_of, within_reach

MOST_CARDS = 6
"""Cards of one turn; the first refusals tell the most."""
_LONGEST = 300


def cards_of(turn: Turn, before: World) -> tuple[Card, ...]:
    """The turn's refusals, rejections and its question back, each told once."""
    cards: dict[Card, None] = {}
    if turn.clarification is not None:
        options = tuple(
            cut(option.label, _LONGEST) for option in turn.clarification.options
        )
        asked = cut(turn.clarification.words, _LONGEST)
        question = cut(turn.clarification.question, _LONGEST)
        cards[Card(asked=asked, why=question, options=options)] = None
    for refusal in _refused(turn, before):
        cards[refusal] = None
    for rejection in turn.rejections:
        why = cut(rejection.message, _LONGEST)
        cards[Card(why=why, hint=cut(rejection.hint, _LONGEST))] = None
    return tuple(cards)[:MOST_CARDS]


def refusals_of(
    cards: Iterable[Card], turn: Turn, before: World, at: int
) -> Iterator[Memory]:
    """A turn's cards as memories; a question back is none, for nothing was tried."""
    if turn.clarification is not None:
        return
    here = room_of(before, turn.actor_id)
    for card in cards:
        line = "tried" if card.asked else "tried.plainly"
        text = phrase(before.language, line, asked=card.asked, why=card.why)
        yield Memory(at=at, text=text, place=here, by=turn.actor_id)


def _refused(turn: Turn, before: World) -> Iterator[Card]:
    for attempt in attempts(turn, before):
        if not attempt.verdict.success:
            yield _card(attempt)


def _card(attempt: Attempt) -> Card:
    action, verdict, claim, world, _ = attempt
    words = own_words(action, claim, world)
    unseen = [r for r in action.roles if not _in_reach(action, r, world)]
    asked = ""
    if all(role in words for role in unseen):
        asked = tell_action(action, world, words)
    return Card(
        asked=cut(asked, _LONGEST),
        why=cut(in_own_words(action, verdict, claim, world), _LONGEST),
        hint=cut(verdict.hint, _LONGEST),
    )


def _in_reach(action: act.Action, role: str, world: World) -> bool:
    named = getattr(action, role)
    if named is None or any(w.to == named for w in ways_out(world, action.actor_id)):
        return True
    return within_reach(world, action.actor_id, named)
