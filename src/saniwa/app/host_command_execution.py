"""Carry out the words that players say to the host: help, undo, save and the like.

Every door uses this, so that a word means the same at all of them. Only `undo` and
`load` change a run, as going back and loading do; no other word becomes a turn.
"""

import asyncio
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.translations import Language, read_texts
from saniwa.language.host_commands import HostCommand
from saniwa.runs.playing import Playing, PlayRequest, PlayState, list_options
from saniwa.runs.presentation import present_turn
from saniwa.runs.run import Run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.runs.seat_order import find_player_character
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying
from saniwa.runs.timeline import PERSON
from saniwa.store.run_records import make_turn_conflict_error
from saniwa.story.step_result import Ask, Branch, Next, Say, StepResult
from saniwa.turn.answers import answer_host_word
from saniwa.turn.description import name_for_viewer
from saniwa.turn.record import RulebookEdit, RunReturn, Turn, TurnAside
from saniwa.world.model import Id

HOST_PHRASES: Final[dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_name("host_phrases.toml").read_text(encoding="utf-8")
)
"""What a host answers, by language; every language has the same keys."""
MOST_LISTED_TURNS: Final = 1_000
"""The most turns that a history lists, counted from the last."""
_MOST_LISTED_STEPS: Final = 40


async def perform_host_command(
    command: HostCommand, playing: Playing, request: PlayRequest, actor: str | None = None
) -> PlayState:
    """Carry out a command, and return the state with what to show of it.

    Raises:
        RunError: `ACTOR_UNKNOWN`; `SAVE_UNNAMED`, `SAVES_TOO_MANY`.
        StoreError: `REVISION_CONFLICT`; `SAVE_NOT_FOUND`; the store failed.
    """
    if command.name == "undo":
        return await _undo(playing, request)
    if command.name == "load" and command.argument:
        return _mark(await playing.load(request, command.argument), command)
    if request.revision != playing.revision:
        await playing.catch_up()
    if request.revision != playing.revision:
        raise make_turn_conflict_error(playing.id, request.revision, playing.revision)
    lines = await answer_host_command(command, playing, actor)
    return _mark(_present_lines(lines, playing.read_state()), command)


async def answer_host_command(
    command: HostCommand, playing: Playing, actor: str | None = None
) -> tuple[str, ...]:
    """The lines that answer a command other than `undo`, or `load` with a name.

    Raises:
        RunError: `ACTOR_UNKNOWN`; `SAVE_UNNAMED`, `SAVES_TOO_MANY`.
        StoreError: The store failed.
    """
    phrases = HOST_PHRASES[playing.language]
    if command.name == "save" and command.argument:
        slot = await playing.save(command.argument)
        return (phrases["saved"].format(name=slot.name),)
    if command.name in ("save", "load"):
        names = ", ".join(slot.name for slot in playing.list_saves())
        return (phrases["saves" if names else "no_saves"].format(names=names),)
    if command.name == "quit":
        return (phrases["quit"],)
    if command.name == "help":
        return tuple(phrases["story_help" if _is_story(playing) else "help"].split("\n"))
    run = playing.world_run
    if command.name == "history" and _is_story(playing):
        return tuple(_list_shown_lines(playing, phrases)) or (phrases["no_turns"],)
    if run is None:
        return (phrases["no_world"].format(command=command.name),)
    viewer = run.actor if actor is None else Id(find_player_character(run.world, actor))
    return tuple(
        await asyncio.to_thread(lambda: [*_answer_in_world(command, run, viewer, phrases)])
    )


def _is_story(playing: Playing) -> bool:
    return not isinstance(playing, ScenarioPlaying)


def _list_shown_lines(playing: Playing, phrases: Mapping[str, str]) -> Iterator[str]:
    """The words of the last steps of a story, with the choices and answers given there."""
    steps = playing.list_backlog()
    moves = dict[int, str]()
    if isinstance(playing, StoredStoryPlaying):
        moves = _find_moves(steps, playing.performance)
    for number in range(max(len(steps) - _MOST_LISTED_STEPS, 0), len(steps)):
        yield from _render_step(steps[number], phrases)
        if number in moves:
            yield f"> {moves[number]}"


def _find_moves(steps: Sequence[StepResult], performance: StoryPlaying) -> dict[int, str]:
    """What was chosen or answered, by the place of its step."""
    asking = [
        number
        for number, step in enumerate(steps)
        if any(isinstance(each, Branch | Ask) for each in step.directives)
    ]
    if "choice" in performance.waiting or "answer" in performance.waiting:
        del asking[-1:]
    # Aligned at the end: older choices may belong to steps that are not stored any more.
    made = performance.player.choices[-len(asking) :] if asking else ()
    moves = zip(reversed(asking), reversed(made), strict=False)
    return {
        number: list_options(steps[number])[move].text if isinstance(move, int) else move
        for number, move in moves
    }


async def _undo(playing: Playing, request: PlayRequest) -> PlayState:
    command = HostCommand("undo")
    state = await playing.back(request)
    if state.revision == request.revision and _is_story(playing):
        lines = (HOST_PHRASES[playing.language]["first_step"],)
        return _mark(_present_lines(lines, state), command)
    # A step that does not wait would only lead forward to here again.
    while state.step.next is Next.NEXT and state.back and state.revision == playing.revision:
        state = await playing.back(PlayRequest(revision=state.revision))
    return _mark(state, command)


def _mark(state: PlayState, command: HostCommand) -> PlayState:
    return msgspec.structs.replace(state, host=command.name)


def _present_lines(lines: tuple[str, ...], state: PlayState) -> PlayState:
    """The state with these lines to show, and again what the player is asked."""
    asked = (each for each in state.step.directives if isinstance(each, Branch | Ask))
    said = (Say.build("", line) for line in lines)
    step = StepResult(next=state.step.next, directives=(*said, *asked))
    return msgspec.structs.replace(state, step=step, scenery=None)


def _render_step(step: StepResult, phrases: Mapping[str, str]) -> Iterator[str]:
    for each in step.directives:
        if isinstance(each, Ask) and each.args.prompt:
            yield " ".join(each.args.prompt.split())
        if isinstance(each, Say):
            name = each.args.speaker
            lead = phrases["speaks"].format(name=name) if name else ""
            yield lead + " ".join(each.args.text.split())


def _answer_in_world(
    command: HostCommand, run: Run, viewer: Id, phrases: Mapping[str, str]
) -> Iterator[str]:
    if command.name == "why":
        yield from _explain_last_attempt(run, viewer, phrases)
    elif command.name == "history":
        yield from [*render_history(run, viewer, phrases)] or [phrases["no_turns"]]
    else:
        yield from answer_host_word(command.name, run.world, viewer, run.book)


def _explain_last_attempt(run: Run, viewer: Id, phrases: Mapping[str, str]) -> Iterator[str]:
    """Say which check decided the last thing that the viewer tried, and what it requires."""
    tried, unanswered = list[Turn](), "why_none"
    for turn in run.read_followed_turns(run.count - MOST_LISTED_TURNS):
        if isinstance(turn.aside, RunReturn):
            # What was tried before is no longer the last thing that happened.
            tried, unanswered = [], "why_returned"
        elif turn.actor_id == viewer and (turn.validation_results or turn.rejections):
            tried.append(turn)
    if not tried:
        yield phrases[unanswered]
        return
    refused = [verdict for verdict in tried[-1].validation_results if not verdict.success]
    for verdict in refused or tried[-1].validation_results[-1:]:
        yield phrases["why_ok" if verdict.success else "why_no"].format(
            check=verdict.check, code=verdict.reason_code, message=verdict.message
        )
        needed = "" if verdict.success else _describe_check(run, verdict.check)
        yield from [phrases["why_needs"].format(needed=needed)] if needed else []
        yield from [phrases["why_hint"].format(hint=verdict.hint)] if verdict.hint else []
    for rejection in tried[-1].rejections:
        yield phrases["why_unclear"].format(message=rejection.message)
        yield from [phrases["why_hint"].format(hint=rejection.hint)] if rejection.hint else []


_ADDRESSED: Final[dict[str, dict[str, str]]] = {
    "en": {
        "the actor's": "your",
        "not the actor": "not you",
        "The actor is": "You are",
        "The actor has": "You have",
        "The actor does": "You do",
        "The actor can": "You can",
    },
    "ja": {"行動者": "あなた"},
}
"""How the description of a check speaks to the actor, by language."""


def _describe_check(run: Run, name: str) -> str:
    """What a check of the run's rulebook requires, said to the player; empty if unknown."""
    rule, _, check = name.partition(".")
    found = (
        own.get("description", "")
        for each in run.book.document["rules"]
        for own in each["checks"]
        if each["actionType"] == rule and own["id"] == check
    )
    described = str(next(found, ""))
    language: Language = "ja" if run.record.language == "ja" else "en"
    described = read_texts("rulebook", language).get(described, described)
    for text, addressed in _ADDRESSED[language].items():
        described = described.replace(text, addressed)
    return described


def render_history(run: Run, viewer: Id, phrases: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the history as the viewer experienced it."""
    first = max(run.count - MOST_LISTED_TURNS, 0)
    if first:
        yield phrases["earlier"].format(count=first)
    for turn in run.read_followed_turns(first):
        for line in _render_turn(run, turn, viewer, phrases):
            yield f"{turn.number + 1:>4}  {line}"


def _render_turn(run: Run, turn: Turn, viewer: Id, phrases: Mapping[str, str]) -> Iterator[str]:
    if turn.aside is not None:
        yield _describe_aside(run, turn.aside, viewer, phrases)
    elif turn.actor_id == viewer and turn.reply is None:
        words = " ".join(turn.raw_text.split())
        # As at a prompt: what is typed is no speech unless it is understood as speech.
        yield f"> {words}  → {_describe_outcome(turn, phrases)}"
    else:
        # Rendered as it was shown; an agent's raw text may contain its thoughts.
        before, after = (run.find_world_after(turn.number - 1), run.find_world_after(turn.number))
        yield from _render_step(present_turn(turn, before, after, viewer), phrases)


def _describe_outcome(turn: Turn, phrases: Mapping[str, str]) -> str:
    """Describe the outcome without codes, which could reveal what was not seen."""
    if turn.clarification is not None:
        return f"? {turn.clarification.question}"
    outcomes = ["ok" if v.success else "no" for v in turn.validation_results]
    outcomes += ["?" for _ in turn.rejections]
    return ", ".join(outcomes) or phrases["past_nothing"]


def _describe_aside(run: Run, aside: TurnAside, viewer: Id, phrases: Mapping[str, str]) -> str:
    if isinstance(aside, RulebookEdit):
        return phrases["past_rules"].format(book=aside.book.get("id", ""))
    if isinstance(aside, RunReturn):
        point = phrases["past_turn"].format(turn=aside.to + 1)
        return phrases[f"past_{aside.why}"].format(
            point=point if aside.to >= 0 else phrases["past_beginning"]
        )
    seats = (
        phrases["past_seat"].format(
            name=name_for_viewer(run.world, Id(who), viewer),
            player=phrases["past_person"] if player == PERSON else player,
        )
        for who, player in sorted(aside.seats.items())
    )
    return phrases["past_seats"].format(seats=phrases["past_and"].join(seats))
