"""One playing of a scenario for learners: what somebody perceives, may do, and does.

Nothing is told to anybody that they could not perceive in the story. Nothing waits: a run
without a model answers at once, so that no event loop is needed and any may be running.
"""

from collections.abc import Coroutine
from typing import Any, Final, TypeVar

import msgspec

from saniwa.core.quoted import cut
from saniwa.experiment.abroad.offer import Offer, offers_of
from saniwa.experiment.stage import Stage
from saniwa.run.present import present
from saniwa.run.standing import Told
from saniwa.script.directive import Branch, Say, StepResult
from saniwa.turn.narrate import describe_room, list_inventory
from saniwa.turn.trace import Turn
from saniwa.world.action import Action
from saniwa.world.model import Id, World
from saniwa.world.view import whose_turn

LONGEST: Final = 8000
"""Letters of one observation."""
_MOST_NEWS: Final = 50
_Kept = TypeVar("_Kept")


class Episode:
    """A run from its first turn to its last."""

    def __init__(self, stage: Stage, seed: int = 0) -> None:
        self.run = stage.run(seed)
        """The run; everything that happens is kept in it, turn by turn."""
        self.cast = tuple(who.id for who in stage.cast)
        """Everybody who can act, in the author's order."""
        first = [stage.opening] if stage.opening else []
        self._news = {who: [*first] for who in self.cast}

    @property
    def turns(self) -> int:
        """Turns played so far."""
        return self.run.count

    @property
    def won(self) -> bool:
        """Whether the story has ended well."""
        return self.run.finished

    @property
    def speaker(self) -> Id | None:
        """Who must act now, where the scenario names an order."""
        return whose_turn(self.run.world)

    def perceived(self, who: Id) -> str:
        """What happened in front of somebody since they last acted, and what they see."""
        world = self.run.world
        news = cut("\n".join(self._news[who][-_MOST_NEWS:]), LONGEST // 2)
        lines = (*describe_room(world, who), *list_inventory(world, who))
        seen = "\n".join(_line(line.speaker, line.text) for line in lines)
        return f"{news}\n\n{cut(seen, LONGEST // 2 - 2)}".lstrip("\n")

    def offers(self, who: Id) -> tuple[Offer, ...]:
        """Everything somebody may do now."""
        return offers_of(self.run, who)

    def goals(self, who: Id) -> list[str]:
        """What somebody wants, in the author's words."""
        return [*self.run.world.entities[who].goals]

    def steps_left(self, who: Id) -> int | None:
        """How many actions the goal seems to be away; None where no way is seen."""
        return self.run.hint(who).steps or None

    def act(self, action: Action) -> Turn:
        """Play an action as a turn; it may be refused like any."""
        before = self.run.world
        return self._noted(at_once(self.run.act(msgspec.to_builtins(action))), before)

    def say(self, who: Id, words: str) -> Turn:
        """Play words as a turn; they may not be understood, or be refused.

        Raises:
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        before = self.run.world
        return self._noted(at_once(self.run.say(words, who)), before)

    def _noted(self, told: Told, before: World) -> Turn:
        turn, after = told.turn, self.run.world
        for who in self.cast:
            if who == turn.actor_id:
                self._news[who] = []
            self._news[who] += _shown(present(turn, before, after, who))
        return turn


def refused(turn: Turn) -> bool:
    """Whether anything of a turn was refused, not understood, or asked back."""
    judged = all(verdict.success for verdict in turn.validation_results)
    return not judged or bool(turn.rejections) or turn.clarification is not None


def at_once(going: Coroutine[Any, Any, _Kept]) -> _Kept:
    """What a coroutine comes to that waits for nothing."""
    try:
        going.send(None)
    except StopIteration as done:
        result: _Kept = done.value
        return result
    going.close()
    raise AssertionError("a run without a model waits for nothing")


def _shown(step: StepResult) -> list[str]:
    shown = []
    for each in step.directives:
        if isinstance(each, Say):
            shown.append(_line(each.args.speaker, each.args.text))
        elif isinstance(each, Branch):
            choices = enumerate(each.args.choices, start=1)
            shown += [f"  {number}. {label}" for number, label in choices]
    return shown


def _line(speaker: str, text: str) -> str:
    return f"{speaker}: {text}" if speaker else text
