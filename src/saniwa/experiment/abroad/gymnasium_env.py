"""A scenario as a Gymnasium environment: one character learns, everybody else waits.

Needs the extra `gym`. The same seed and the same actions give the same episode.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import gymnasium

from saniwa.experiment.abroad.episode import Episode, refused
from saniwa.experiment.abroad.spaces import (
    MOST_ACTIONS,
    Actions,
    action_space,
    mask_of,
    observation_space,
)
from saniwa.experiment.abroad.terms import MAX_TURNS, REACHED, about, check_bounds
from saniwa.experiment.stage import Stage
from saniwa.scenario.load import Scenario
from saniwa.turn.trace import Turn
from saniwa.world.action import Wait

NEARER: Final = 0.01
"""The reward for coming one action nearer to it, where rewards are shaped."""


class ScenarioEnv(gymnasium.Env[str, Any]):
    """One character in a scenario.

    An observation is what the character perceives, as text. `info` tells what may be done
    (`admissible`), which places of the action space hold one of it (`action_mask`), what
    the character wants (`goals`), and whether the last step was `refused`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - the library declares it so

    def __init__(
        self,
        scenario: Scenario,
        books: Sequence[Mapping[str, Any]],
        *,
        actor: str | None = None,
        language: str | None = None,
        actions: Actions = "list",
        max_turns: int = MAX_TURNS,
        most_actions: int = MOST_ACTIONS,
        shaped: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Set the scenario up; `books` are the layers that judge, lowest first.

        Args:
            scenario: What is played.
            books: The layers that judge, lowest first.
            actor: Whom the learner plays; the author's first choice if not given.
            language: The language it is told in; the scenario's own if not given.
            actions: `list` for a place in `info["admissible"]`, `words` for free words.
            max_turns: Steps before an episode is cut off.
            most_actions: Places in the list; what does not fit is counted in `left_out`.
            shaped: Whether coming nearer to the goal is rewarded; looking ahead is slow.
            render_mode: `ansi`, or nothing.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
            ValueError: A number below 2, or an unknown way of giving actions.
        """
        if actions not in get_args(Actions):
            raise ValueError(f"actions are given as 'list' or 'words', not {actions!r}")
        check_bounds(max_turns, most_actions)
        self._stage = Stage(scenario, books, actor=actor, language=language)
        self._max_turns = max_turns
        self._most = most_actions
        self._shaped = shaped
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = action_space(actions, most_actions)
        self._begin(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin again; the seed is kept with the run, and nothing else is by chance."""
        super().reset(seed=seed, options=options)
        self._begin(seed or 0)
        return self._observed(), self._about(False)

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Do something, or try to; whatever comes of it is a step.

        A place in the list that holds nothing is no action: nothing happens but the step.

        Raises:
            ValueError: The action is not in the action space.
        """
        if action not in self.action_space:
            raise ValueError(f"{action!r} is not in {self.action_space}")
        left, had_won = self._left(), self.episode.won
        turn = self._done(action)
        self._others_wait()
        self._steps += 1
        won = self.episode.won
        reward = REACHED if won and not had_won else self._nearer(left)
        self._offers = self.episode.offers(self._stage.actor)
        cut_off = not won and self._steps >= self._max_turns
        seen, about = self._observed(), self._about(turn is None or refused(turn))
        return seen, reward, won, cut_off, about

    def render(self) -> str | None:
        """What the character perceives now, where that was asked for."""
        return self._observed() if self.render_mode == "ansi" else None

    def _begin(self, seed: int) -> None:
        self.episode = Episode(self._stage, seed)
        """The episode under way."""
        self._others_wait()
        self._steps = 0
        self._offers = self.episode.offers(self._stage.actor)

    def _done(self, action: Any) -> Turn | None:
        """The turn an action makes; None for an empty place in the list."""
        if isinstance(action, str):
            meant = [each for each in self._offers if each.text == action]
            if len(meant) == 1:
                return self.episode.act(meant[0].action)
            return self.episode.say(self._stage.actor, action)
        place = int(action)
        listed = self._offers[: self._most]
        return self.episode.act(listed[place].action) if place < len(listed) else None

    def _others_wait(self) -> None:
        """Where the scenario names an order, those before the character let time pass."""
        for _ in range(len(self._stage.world.turn_order)):
            who = self.episode.speaker
            if who is None or who == self._stage.actor:
                return
            self.episode.act(Wait(actor_id=who))

    def _left(self) -> int | None:
        return self.episode.steps_left(self._stage.actor) if self._shaped else None

    def _nearer(self, before: int | None) -> float:
        after = self._left()
        if before is None or after is None:
            return 0.0
        return NEARER * (before - after)

    def _observed(self) -> str:
        return self.episode.perceived(self._stage.actor)

    def _about(self, refused_now: bool) -> dict[str, Any]:
        goals = self.episode.goals(self._stage.actor)
        told = about(self._offers, self._most, goals, refused=refused_now)
        told["action_mask"] = mask_of(len(told["admissible"]), self._most)
        return told
