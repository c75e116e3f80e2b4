"""How a mind begins, and what one turn adds to it. Read `perceive` first.

Pure: the same mind, turn and worlds give the same mind. A turn costs the size of the
scene, whatever the size of the world and however many turns went before.
"""

from saniwa.agent.belief.attempts import attempts
from saniwa.agent.belief.cards import cards_of, refusals_of
from saniwa.agent.belief.locks import feel_locks
from saniwa.agent.belief.model import Mind, known_name
from saniwa.agent.belief.notebook import Notebook
from saniwa.agent.belief.seeing import look
from saniwa.agent.belief.witness import witness
from saniwa.turn.sight import called
from saniwa.turn.trace import Turn
from saniwa.world.model import NOWHERE, Id, World

__all__ = ["Mind", "known_name", "opening_mind", "perceive"]


def opening_mind(world: World, who: Id) -> Mind:
    """What a character knows before the first turn: what it perceives, what it wants."""
    own = world.entities[who]
    # As others call it: somebody the author named "you" is that to everybody.
    name = called(world, who, NOWHERE)
    mind = Mind(who=who, name=name, goals=own.goals, language=world.language)
    notes = Notebook(mind, world.time.turn)
    look(notes, world)
    return notes.close(world)


def perceive(mind: Mind, turn: Turn, before: World, after: World) -> Mind:
    """The mind after one kept turn: what its owner could perceive of it, and no more.

    What was done in its scope is witnessed deed by deed; then the present scene corrects
    what is believed. An aside is nothing one perceives.
    """
    if turn.aside is not None:
        return mind
    notes = Notebook(mind, after.time.turn)
    for attempt in attempts(turn, before):
        if attempt.verdict.success:
            witness(notes, attempt, turn)
        else:
            feel_locks(notes, attempt)
    if turn.actor_id == mind.who:
        cards = cards_of(turn, before)
        notes.guide(cards)
        for refusal in refusals_of(cards, turn, before, notes.now):
            notes.remember(refusal)
    look(notes, after)
    return notes.close(after)
