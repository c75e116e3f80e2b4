"""A scenario as a Gymnasium environment: one character learns, the others wait.

Needs the extra `gym`. The same seed and the same actions give the same episode.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, get_args, overload

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import read_from_shared_memory
from numpy.typing import NDArray

from saniwa.experiment.run_template import RunTemplate
from saniwa.integrations import episode
from saniwa.scenario.loader import Scenario
from saniwa.turn.record import Turn
from saniwa.world.actions import Wait

ActionMode = Literal["list", "words"]
"""How an action is given: by its index in the list of allowed actions, or in words."""
MAX_ACTIONS: Final = 512
"""The default size of the list."""
LONGEST_WORDS: Final = 1000
"""The most characters of an action in words."""
_SAMPLED: Final = "abcdefghijklmnopqrstuvwxyz "


class TextSpace(spaces.Text):
    """Any text up to a length, in any language; samples are plain letters.

    The library's own space allows characters from a list only, and no list contains all
    characters that stories are written in.
    """

    def __init__(self, longest: int) -> None:
        super().__init__(longest, min_length=0, charset=_SAMPLED)

    def contains(self, x: Any) -> bool:
        """Whether it is a text, and not too long."""
        return isinstance(x, str) and len(x) <= self.max_length


# Gymnasium's own functions know characters from a list only, and read texts from shared
# memory only once. Environments in separate processes pass observations as numbers:
# here these are code points plus one, so that 0 is not a character.


@spaces.flatten.register(TextSpace)
def _flatten_text(space: TextSpace, x: str) -> NDArray[np.int32]:  # type: ignore[misc]  # Space is generic
    """Encode the characters of a text as numbers, padded to the greatest length."""
    points = np.zeros(space.max_length, dtype=np.int32)
    letters = np.frombuffer(x.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    points[: len(letters)] = letters + 1
    return points


@spaces.unflatten.register(TextSpace)
def _unflatten_text(space: TextSpace, x: NDArray[np.int32]) -> str:  # type: ignore[misc]  # Space is generic
    """Decode such numbers to text."""
    del space
    points = np.asarray(x, dtype="<i4")
    letters = points[points > 0] - 1
    return letters.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")


@spaces.flatten_space.register(TextSpace)
def _flatten_text_space(space: TextSpace) -> spaces.Box:
    most = sys.maxunicode + 1
    return spaces.Box(0, most, shape=(space.max_length,), dtype=np.int32)


class SharedTexts(Sequence[str]):
    """The current texts in a shared memory; a deep copy is a tuple."""

    def __init__(self, space: TextSpace, memory: Any, count: int) -> None:
        self._space = space
        self._memory = memory
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        texts = self._read_texts()
        return texts[index]

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        del memo
        return self._read_texts()

    def _read_texts(self) -> tuple[str, ...]:
        values = np.frombuffer(self._memory.get_obj(), dtype=np.int32)
        rows = values.reshape(self._count, self._space.max_length)
        return tuple(_unflatten_text(self._space, each) for each in rows)


@read_from_shared_memory.register(TextSpace)
def _read_shared_texts(space: TextSpace, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(space, shared_memory, n)


def make_observation_space() -> TextSpace:
    """Return the space of observations."""
    return TextSpace(episode.LONGEST_OBSERVATION)


def make_action_mask(count: int, most: int) -> NDArray[np.int8]:
    """Return 1 for the indexes that are in use, which come first, and 0 for the rest."""
    mask = np.zeros(most, dtype=np.int8)
    mask[:count] = 1
    return mask


PROGRESS_REWARD: Final = 0.01
"""The reward for one action of progress, if rewards are shaped."""


class ScenarioEnv(gymnasium.Env[str, Any]):
    """One character in a scenario.

    An observation is what the character perceives, as text. `info` lists the allowed
    actions (`admissible`), the indexes of the action space in use (`action_mask`), the
    character's `goals`, and whether the last step was `refused`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - the library declares it so

    def __init__(
        self,
        scenario: Scenario,
        books: Sequence[Mapping[str, Any]],
        *,
        actor: str | None = None,
        language: str | None = None,
        actions: ActionMode = "list",
        max_turns: int = episode.MAX_TURNS,
        most_actions: int = MAX_ACTIONS,
        shaped: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Set the scenario up; `books` are the rulebook's layers, lowest first.

        Args:
            scenario: The scenario to play.
            books: The layers of the rulebook, lowest first.
            actor: The learner's character; the author's first choice if not given.
            language: The language of texts; the scenario's own if not given.
            actions: `list` for an index in `info["admissible"]`, `words` for free text.
            max_turns: Steps before an episode is truncated.
            most_actions: The size of the list; `left_out` counts actions beyond it.
            shaped: Whether progress toward the goal is rewarded; looking ahead is slow.
            render_mode: `ansi`, or None.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
            ValueError: A number below 2, or an unknown value of `actions`.
        """
        if actions not in get_args(ActionMode):
            raise ValueError(f"actions are given as 'list' or 'words', not {actions!r}")
        episode.check_bounds(max_turns, most_actions)
        self._stage = RunTemplate(scenario, books, actor=actor, language=language)
        self._max_turns = max_turns
        self._most = most_actions
        self._shaped = shaped
        self.render_mode = render_mode
        self.observation_space = make_observation_space()
        self.action_space = (
            spaces.Discrete(most_actions) if actions == "list" else TextSpace(LONGEST_WORDS)
        )
        self._begin_episode(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start again; the seed is stored with the run, and nothing else is random."""
        super().reset(seed=seed, options=options)
        self._begin_episode(seed or 0)
        return self._observe_character(), self._build_info(False)

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Try an action; any result counts as a step.

        An unused index is not an action: nothing happens, but the step counts.

        Raises:
            ValueError: The action is not in the action space.
        """
        if action not in self.action_space:
            raise ValueError(f"{action!r} is not in {self.action_space}")
        steps_left, had_won = self._estimate_steps_left(), self.episode.is_won
        turn = self._play_action(action)
        self._skip_others()
        self._steps += 1
        won = self.episode.is_won
        reward = episode.GOAL_REWARD if won and not had_won else self._reward_progress(steps_left)
        self._offers = self.episode.list_offers(self._stage.actor)
        cut_off = not won and self._steps >= self._max_turns
        about = self._build_info(turn is None or episode.is_refused(turn))
        return self._observe_character(), reward, won, cut_off, about

    def render(self) -> str | None:
        """Return what the character perceives now, if the render mode is `ansi`."""
        return self._observe_character() if self.render_mode == "ansi" else None

    def _begin_episode(self, seed: int) -> None:
        self.episode = episode.Episode(self._stage, seed)
        """The current episode."""
        self._skip_others()
        self._steps = 0
        self._offers = self.episode.list_offers(self._stage.actor)

    def _play_action(self, action: Any) -> Turn | None:
        """Play an action; return its turn, or None for an unused index."""
        if isinstance(action, str):
            matching = [each for each in self._offers if each.text == action]
            if len(matching) == 1:
                return self.episode.act(matching[0].action)
            return self.episode.say(self._stage.actor, action)
        place = int(action)
        listed = self._offers[: self._most]
        return self.episode.act(listed[place].action) if place < len(listed) else None

    def _skip_others(self) -> None:
        """If there is a turn order, let the characters before the learner's wait."""
        for _ in range(len(self._stage.world.turn_order)):
            who = self.episode.speaker
            if who is None or who == self._stage.actor:
                return
            self.episode.act(Wait(actor_id=who))

    def _estimate_steps_left(self) -> int | None:
        return self.episode.estimate_steps_left(self._stage.actor) if self._shaped else None

    def _reward_progress(self, before: int | None) -> float:
        after = self._estimate_steps_left()
        if before is None or after is None:
            return 0.0
        return PROGRESS_REWARD * (before - after)

    def _observe_character(self) -> str:
        return self.episode.describe_perception(self._stage.actor)

    def _build_info(self, refused_now: bool) -> dict[str, Any]:
        goals = self.episode.list_goals(self._stage.actor)
        info = episode.build_step_info(self._offers, self._most, goals, refused=refused_now)
        info["action_mask"] = make_action_mask(len(info["admissible"]), self._most)
        return info
