"""From a turn to what a host shows: the only way story content leaves a run."""

from typing import Final

from saniwa.story.stepresult import Branch, Directive, Next, Say, StepResult
from saniwa.turn.description import NarrationLine, describe_room
from saniwa.turn.narration import narrate
from saniwa.turn.record import RunReturn, Turn, redact_turn
from saniwa.world.model import Id, World
from saniwa.world.view import is_goal_reached

_WORDS: Final = {
    "en": {
        "undo": "You take that back.",
        "undone": "You take that back: {words}",
        "undone_since": "You take that back, with all that followed: {words}",
        "load": "You are back where you saved.",
        "nothing_to_undo": "There is nothing to take back.",
        "nothing_of_yours": "You have done nothing to take back; what others did stays.",
    },
    "ja": {
        "undo": "ひとつ前に戻った。",
        "undone": "取り消した：{words}",
        "undone_since": "その後のことも合わせて取り消した：{words}",
        "load": "保存したところに戻った。",
        "nothing_to_undo": "取り消せることは何もない。",
        "nothing_of_yours": "あなたがしたことで取り消せるものはない。ほかの人がしたことはそのまま。",
    },
}
"""What is said about the run itself, in every language a run can be told in."""


def present_turn(
    turn: Turn, before: World, after: World, viewer: Id | None = None
) -> StepResult:
    """What the host shows of a turn that has been kept, to the actor or another viewer.

    A question with options becomes a branch for who was asked, in the order of the
    options; a goal that is reached ends the story.
    """
    watcher = viewer or turn.actor_id
    said = _to_directives(_choose_lines(turn, before, after, watcher))
    asked = redact_turn(turn, watcher).clarification
    options = asked.options if asked else ()
    if options:
        choices = Branch.build(*(option.label for option in options))
        return StepResult(next=Next.WAIT_BRANCH, directives=(*said, choices))
    return StepResult(next=_find_next(after), directives=said)


def _choose_lines(
    turn: Turn, before: World, after: World, viewer: Id
) -> tuple[NarrationLine, ...]:
    """The model's words where they were told to this viewer; else the plain ones.

    Where there is nothing to tell, a model has nothing to tell either.
    """
    kept = turn.narration
    plain = narrate(turn, before, after, viewer)
    if kept is None or kept.by != "model" or turn.clarification is not None:
        return plain
    if not plain:
        return ()
    if (kept.viewer or turn.actor_id) != viewer:
        return plain
    # Where the story ends well, the author has the last word.
    ended = is_goal_reached(after) and not is_goal_reached(before)
    told = tuple(NarrationLine(text=part) for part in kept.text.split("\n") if part)
    return (*told, *plain[-1:]) if ended else told


def present_opening(words: str, world: World, actor: Id) -> StepResult:
    """The first thing a host shows: the author's opening words, then the scene."""
    first = (Say.build("", words),) if words else ()
    said = _to_directives(describe_room(world, actor))
    return StepResult(next=_find_next(world), directives=(*first, *said))


def present_return(
    aside: RunReturn, world: World, actor: Id, undone: str = "", *, since: bool = False
) -> StepResult:
    """What the host shows when the run has gone back: that it has, and the scene.

    `undone` are the words that were taken back, where they are known; `since` tells that
    what others did since is taken back with them.
    """
    words = " ".join(undone.split())
    known = "undone_since" if since else "undone"
    key = known if words else aside.why
    note = Say.build("", _WORDS[world.language][key].format(words=words))
    said = _to_directives(describe_room(world, actor))
    return StepResult(next=_find_next(world), directives=(note, *said))


def present_nothing_to_undo(world: World, *, others: bool = False) -> StepResult:
    """What the host shows when there is no step to take back, or only one of others."""
    key = "nothing_of_yours" if others else "nothing_to_undo"
    note = Say.build("", _WORDS[world.language][key])
    return StepResult(next=_find_next(world), directives=(note,))


def _to_directives(lines: tuple[NarrationLine, ...]) -> tuple[Directive, ...]:
    return tuple(Say.build(line.speaker, line.text) for line in lines)


def _find_next(world: World) -> Next:
    return Next.HALT if is_goal_reached(world) else Next.WAIT_USER
