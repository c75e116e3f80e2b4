"""How words would be understood and judged, without anything happening."""

from collections.abc import Sequence
from typing import NamedTuple

from saniwa.rulebook.book import Rulebook
from saniwa.turn.languages.tongue import told
from saniwa.turn.narrate import tell_action
from saniwa.turn.own_words import claims_of_actions, own_words
from saniwa.turn.play import play_turn, worlds_after
from saniwa.turn.trace import Turn, Words
from saniwa.world.model import World


class Preview(NamedTuple):
    """A turn that was not played, and what it would have been."""

    turn: Turn
    """The turn as it would be recorded."""
    sentences: tuple[str, ...]
    """One for each claim, in the world's language."""


def preview(
    words: Words, claims: Sequence[object], world: World, book: Rulebook
) -> Preview:
    """The same passage as `play_turn`, with the world it leaves let go."""
    turn = play_turn(words, claims, world, book).turn
    return Preview(turn, tell_preview(turn, world))


def tell_preview(turn: Turn, world: World) -> tuple[str, ...]:
    """One sentence for each action, rejection or question of a turn not played."""
    language = world.language
    if turn.clarification is not None:
        question = turn.clarification.question
        return (told(language, "plan.asked", question=question),)
    sentences = [*_actions(turn, world)]
    for rejection in turn.rejections:
        sentences.append(told(language, "plan.rejected", why=rejection.message))
    return tuple(sentences) or (told(language, "plan.nothing"),)


def _actions(turn: Turn, world: World) -> list[str]:
    worlds = worlds_after(turn, world)
    sentences = []
    judged = zip(
        turn.normalized_actions,
        turn.validation_results,
        claims_of_actions(turn),
        strict=True,
    )
    for action, verdict, claim in judged:
        planned = tell_action(action, world, own_words(action, claim, world))
        if verdict.success:
            sentences.append(told(world.language, "plan", plan=planned))
            world = next(worlds)
        else:
            why = verdict.message
            sentences.append(
                told(world.language, "plan.refused", plan=planned, why=why)
            )
    return sentences
