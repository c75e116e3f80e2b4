"""Show how words would be understood and judged, without changing anything."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from saniwa.language.phrasebook import render_sentence
from saniwa.rulebook.book import Rulebook
from saniwa.turn.answers import play_words
from saniwa.turn.description import name_known
from saniwa.turn.narration import find_own_words, render_action, restore_subject
from saniwa.turn.play import TurnAttempt, list_attempts
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.effects import ReplyEffect
from saniwa.world.model import World


class TurnPreview(NamedTuple):
    """A turn that was judged but not played."""

    turn: Turn
    """The turn as it would be recorded."""
    sentences: tuple[str, ...]
    """One for each claim, in the world's language."""


def preview_turn(
    words: SpokenWords, claims: Sequence[object], world: World, book: Rulebook
) -> TurnPreview:
    """Play the turn as `play_words` does, and discard the world after it."""
    turn = play_words(words, claims, world, book).turn
    return TurnPreview(turn, render_preview(turn, world))


def render_preview(turn: Turn, world: World) -> tuple[str, ...]:
    """One sentence for each action, written answer, rejection or question of a turn not played."""
    language = world.language
    if turn.clarification is not None:
        question = turn.clarification.question
        return (render_sentence(language, "plan.asked", question=question),)
    sentences = [
        sentence
        for attempt in list_attempts(turn, world)
        for sentence in (_render_attempt(attempt), *_render_answers(attempt))
    ]
    sentences += (line for answer in turn.answers for line in answer.lines)
    for rejection in turn.rejections:
        sentences.append(render_sentence(language, "plan.rejected", why=rejection.message))
    return tuple(sentences) or (render_sentence(language, "plan.nothing"),)


def _render_attempt(attempt: TurnAttempt) -> str:
    action, verdict, claim, world, _ = attempt
    action = restore_subject(action, claim, world)
    plan = render_action(action, world, find_own_words(action, claim, world))
    if verdict.success:
        return render_sentence(world.language, "plan", plan=plan)
    return render_sentence(world.language, "plan.refused", plan=plan, why=verdict.message)


def _render_answers(attempt: TurnAttempt) -> Iterator[str]:
    """Which part of a dialogue would answer; the words themselves stay unread."""
    for effect in attempt.verdict.effects:
        if isinstance(effect, ReplyEffect):
            part, _, topic = effect.part.partition(".")
            who = name_known(attempt.after, effect.entity_id)
            yield render_sentence(
                attempt.after.language, f"plan.reply.{part}", who=who, topic=topic
            )
