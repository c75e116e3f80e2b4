"""One playing of a scenario for learners: observations, admissible actions, turns.

A character learns nothing that it could not perceive in the story. Nothing waits: a run
without a model answers at once, so no event loop is needed and any may be running.
"""

from collections.abc import Coroutine, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from saniwa.core.text import truncate
from saniwa.experiment.run_template import RunTemplate
from saniwa.runs.presentation import present_turn
from saniwa.runs.run import Run, TurnResult
from saniwa.story.step_result import Branch, Say, StepResult
from saniwa.turn.description import describe_room, list_inventory
from saniwa.turn.narration import render_action
from saniwa.turn.record import Turn
from saniwa.world.actions import Action
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import build_scene
from saniwa.world.queries import find_room, get_turn_actor, list_scope


class ActionOffer(NamedTuple):
    """One action that is allowed now."""

    text: str
    """The action in a few plain words, in the world's language."""
    action: Action
    """The action."""


def find_offers(run: Run, who: Id) -> tuple[ActionOffer, ...]:
    """List what the actor may do now to what they perceive, by type and then by fields.

    A book may allow more than the actor can see; actions on unperceived things are not
    listed, because the list would reveal them.
    """
    seen = _list_perceived_ids(run.world, who)
    return tuple(
        ActionOffer(render_action(action, run.world), action)
        for action in run.list_admissible(who)
        if all(getattr(action, role) in seen for role in action.roles)
    )


def _list_perceived_ids(world: World, who: Id) -> frozenset[Id | None]:
    """Return everything in sight, the adjacent places, and None for an omitted field."""
    ways = (way.to for way in build_scene(world, who).exits)
    return frozenset((*list_scope(world, who), *ways, find_room(world, who), who, None))


LONGEST_OBSERVATION: Final = 8000
"""The most characters of one observation."""
_MOST_NEWS: Final = 50
_Result = TypeVar("_Result")


class Episode:
    """A run from its first turn to its last."""

    def __init__(self, stage: RunTemplate, seed: int = 0) -> None:
        self.run = stage.begin_run(seed)
        """The run; it records everything that happens, turn by turn."""
        self.cast = tuple(who.id for who in stage.cast)
        """All characters that can act, in the author's order."""
        first = [stage.opening] if stage.opening else []
        self._news = {who: [*first] for who in self.cast}

    @property
    def is_won(self) -> bool:
        """Whether the goal was reached."""
        return self.run.is_finished

    @property
    def speaker(self) -> Id | None:
        """The character that must act now, if the scenario defines a turn order."""
        return get_turn_actor(self.run.world)

    def describe_perception(self, who: Id) -> str:
        """Describe what a character noticed since its last action, and what it sees."""
        world = self.run.world
        news = truncate("\n".join(self._news[who][-_MOST_NEWS:]), LONGEST_OBSERVATION // 2)
        lines = (*describe_room(world, who), *list_inventory(world, who))
        seen = "\n".join(_format_line(line.speaker, line.text) for line in lines)
        return f"{news}\n\n{truncate(seen, LONGEST_OBSERVATION // 2 - 2)}".lstrip("\n")

    def list_offers(self, who: Id) -> tuple[ActionOffer, ...]:
        """List what a character may do now."""
        return find_offers(self.run, who)

    def list_goals(self, who: Id) -> list[str]:
        """List a character's goals, in the author's words."""
        return [*self.run.world.entities[who].goals]

    def estimate_steps_left(self, who: Id) -> int | None:
        """Estimate the number of actions to the goal; None if no way is known."""
        return self.run.find_hint(who).steps or None

    def act(self, action: Action) -> Turn:
        """Play an action as a turn; it may be refused like any other."""
        before = self.run.world
        return self._record_news(
            run_to_completion(self.run.act(msgspec.to_builtins(action))), before
        )

    def say(self, who: Id, words: str) -> Turn:
        """Play words as a turn; they may not be understood, or be refused.

        Raises:
            RunError: `TEXT_UNREADABLE` for words that are not text.
        """
        before = self.run.world
        return self._record_news(run_to_completion(self.run.say(words, who)), before)

    def _record_news(self, result: TurnResult, before: World) -> Turn:
        turn, after = result.turn, self.run.world
        for who in self.cast:
            if who == turn.actor_id:
                self._news[who] = []
            self._news[who] += _render_step(present_turn(turn, before, after, who))
        return turn


def is_refused(turn: Turn) -> bool:
    """Whether any part of a turn was refused, not understood, or needs clarification."""
    judged = all(verdict.success for verdict in turn.validation_results)
    return not judged or bool(turn.rejections) or turn.clarification is not None


def run_to_completion(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Return the result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: _Result = done.value
        return result
    coroutine.close()
    raise AssertionError("a run without a model waits for nothing")


def _render_step(step: StepResult) -> list[str]:
    shown = []
    for each in step.directives:
        if isinstance(each, Say):
            shown.append(_format_line(each.args.speaker, each.args.text))
        elif isinstance(each, Branch):
            choices = enumerate(each.args.choices, start=1)
            shown += [f"  {number}. {label}" for number, label in choices]
    return shown


def _format_line(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text


MAX_TURNS: Final = 100
"""The default number of turns of an episode, all characters together."""
GOAL_REWARD: Final = 1.0
"""The reward for reaching the goal."""
MIN_BOUND: Final = 2
"""The smallest number of turns, or of entries in a list of actions."""


def check_bounds(max_turns: int, most_actions: int) -> None:
    """Check that an environment can be played with these limits.

    Raises:
        ValueError: One is too small.
    """
    for name, number in (("max_turns", max_turns), ("most_actions", most_actions)):
        if number < MIN_BOUND:
            raise ValueError(f"{name} is {number}; it must be {MIN_BOUND} or more")


def build_step_info(
    offers: Sequence[ActionOffer], most: int, goals: Sequence[str], *, refused: bool
) -> dict[str, Any]:
    """Build `info`: the allowed actions, up to `most`, and the goals."""
    listed = offers[:most]
    return {
        "admissible": [offer.text for offer in listed],
        "left_out": len(offers) - len(listed),
        "goals": [*goals],
        "refused": refused,
    }
