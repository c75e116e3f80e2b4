"""What a game master says about a turn to whoever speaks next: at most three facts."""

from typing import Final

from saniwa.agent.quotation import one_line
from saniwa.core.quoted import cut
from saniwa.experiment.outcome import Passage, Trigger
from saniwa.experiment.playing.intents import alters
from saniwa.experiment.telling.listing import flat
from saniwa.turn.narrate import tell_action
from saniwa.world.action import type_of
from saniwa.world.model import World

MOST: Final = 3
"""Facts of one turn: the refusal, the standstill, what changed."""
WORTH_SAYING: Final = 0.5
"""The stall score above which a game master speaks up."""
_LONGEST: Final = 200
_STILL: Final = {
    "en": "the talk goes in circles; do something else",
    "ja": "話が堂々巡りになっている。別のことをしよう",
}
_DENIED: Final = {"en": "did not happen. ", "ja": "起きなかった。"}


def trigger_of(passage: Passage) -> Trigger:
    """What made the game master speak up; the first that applies."""
    if alters(passage.turn):
        return "world_delta"
    if passage.final.refused:
        return "deny"
    if passage.stall_score > WORTH_SAYING:
        return "stall"
    return "format_break" if passage.final.break_type != "NONE" else "none"


def fact_cards(passage: Passage, before: World) -> tuple[str, ...]:
    """The facts, the refusal first."""
    tongue = before.language if before.language in _STILL else "en"
    facts = []
    if passage.final.refused:
        refused = passage.final.refused[0]
        what = f"{flat(refused.target)}: " if refused.target else ""
        facts.append(f"{what}{_DENIED[tongue]}{one_line(refused.message)}")
    if passage.stall_event:
        facts.append(_STILL[tongue])
    done = [a for a in passage.turn.applied_actions if type_of(a) != "speak"]
    if alters(passage.turn) and done:
        told = "; ".join(one_line(tell_action(action, before)) for action in done)
        facts.append(f"{flat(passage.speaker_name)}: {told}")
    return tuple(f"FACT: {cut(fact, _LONGEST)}" for fact in facts[:MOST])
