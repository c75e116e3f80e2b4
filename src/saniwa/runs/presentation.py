"""Turn a stored turn into the StepResult that a host shows.

Story content leaves a run in no other way. Nothing here stores or judges anything.
"""

from typing import Final

from saniwa.language.host_commands import is_repetition
from saniwa.story.step_result import Branch, Directive, Next, Say, StepResult
from saniwa.turn.description import NarrationLine, describe_room
from saniwa.turn.narration import narrate, render_action
from saniwa.turn.play import list_attempts
from saniwa.turn.record import RunReturn, Turn, redact_turn
from saniwa.world.model import Id, World
from saniwa.world.queries import is_goal_reached

_WORDS: Final = {
    "en": {
        "undo": "You take that back.",
        "undone": "You take that back: {words}",
        "undone_since": "You take that back, with all that followed: {words}",
        "idle": "{note} (After it you had only talked, or tried what was refused.)",
        "load": "You are back where you saved.",
        "nothing_to_undo": "There is nothing to take back.",
        "nothing_of_yours": "You have done nothing to take back; what others did stays.",
    },
    "ja": {
        "undo": "ひとつ前に戻った。",
        "undone": "取り消した：{words}",
        "undone_since": "その後のことも合わせて取り消した：{words}",
        "idle": "{note}（そのあとは、話したり、できないことを試したりしただけだった。）",
        "load": "保存したところに戻った。",
        "nothing_to_undo": "取り消せることは何もない。",
        "nothing_of_yours": "あなたがしたことで取り消せるものはない。ほかの人がしたことはそのまま。",
    },
}
"""Messages about the run itself, in every language a run can be played in."""


def present_turn(turn: Turn, before: World, after: World, viewer: Id | None = None) -> StepResult:
    """What the host shows of a stored turn, to the actor or another viewer.

    For the actor who was asked, a question with options becomes a branch in the order
    of the options. A goal that is reached ends the story. What `again` did comes first.
    """
    watcher = viewer or turn.actor_id
    lines = _to_directives(_choose_lines(turn, before, after, watcher))
    if watcher == turn.actor_id and turn.reply is None and is_repetition(turn.raw_text):
        done = (render_action(each.action, each.before) for each in list_attempts(turn, before))
        lines = (*(Say.build("", f"> {plan}") for plan in done), *lines)
    asked = redact_turn(turn, watcher).clarification
    options = asked.options if asked else ()
    if options:
        choices = Branch.build(*(option.label for option in options))
        return StepResult(next=Next.WAIT_BRANCH, directives=(*lines, choices))
    return StepResult(next=_find_next(after), directives=lines)


def _choose_lines(turn: Turn, before: World, after: World, viewer: Id) -> tuple[NarrationLine, ...]:
    """The model's narration if it was written for this viewer; else the plain one.

    Where the plain narrator has nothing to say, neither has the model.
    """
    narration = turn.narration
    plain = narrate(turn, before, after, viewer)
    if narration is None or narration.by != "model" or turn.clarification is not None:
        return plain
    if not plain:
        return ()
    if (narration.viewer or turn.actor_id) != viewer:
        return plain
    # When the goal is reached, the author's closing words come last.
    ended = is_goal_reached(after) and not is_goal_reached(before)
    lines = tuple(NarrationLine(text=part) for part in narration.text.split("\n") if part)
    return (*lines, *plain[-1:]) if ended else lines


def present_opening(words: str, world: World, actor: Id) -> StepResult:
    """What a host shows first: the author's opening text, then the scene."""
    first = (Say.build("", words),) if words else ()
    lines = _to_directives(describe_room(world, actor))
    return StepResult(next=_find_next(world), directives=(*first, *lines))


def present_return(
    aside: RunReturn,
    world: World,
    actor: Id,
    undone: str = "",
    *,
    since: bool = False,
    idle: bool = False,
) -> StepResult:
    """What the host shows after the run went back: a note, and the scene.

    `undone` is the text that was taken back, if it is known; with `since`, the note
    says that what others did since is taken back too, with `idle`, that the turns since
    had changed nothing.
    """
    words = " ".join(undone.split())
    known = "undone_since" if since else "undone"
    key = known if words else aside.why
    note = _WORDS[world.language][key].format(words=words)
    if idle and words and not since:
        note = _WORDS[world.language]["idle"].format(note=note)
    lines = _to_directives(describe_room(world, actor))
    return StepResult(next=_find_next(world), directives=(Say.build("", note), *lines))


def present_nothing_to_undo(world: World, *, others: bool = False) -> StepResult:
    """What the host shows if no step, or only steps of others, could be taken back."""
    key = "nothing_of_yours" if others else "nothing_to_undo"
    note = Say.build("", _WORDS[world.language][key])
    return StepResult(next=_find_next(world), directives=(note,))


def _to_directives(lines: tuple[NarrationLine, ...]) -> tuple[Directive, ...]:
    return tuple(Say.build(line.speaker, line.text) for line in lines)


def _find_next(world: World) -> Next:
    return Next.HALT if is_goal_reached(world) else Next.WAIT_USER
