"""A scenario as a PettingZoo environment: every character is an agent.

Needs the extra `gym`. One agent acts at a time; agents have the ids of their
characters. There is no parallel form: allowed actions depend on the action just before,
so lists made for two agents at once would offer both the same cup.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv

from saniwa.experiment.run_template import RunTemplate
from saniwa.integrations import episode
from saniwa.integrations.gymnasium_env import MAX_ACTIONS, make_action_mask, make_observation_space
from saniwa.scenario.loader import Scenario
from saniwa.world.model import Id


class MultiAgentEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """All characters of a scenario.

    An observation is what one character perceives: `text`, and `action_mask` with a 1
    for every index of the action space in use. `infos` list the allowed actions
    (`admissible`), the character's `goals`, and whether its last turn was `refused`.
    """

    metadata = {  # noqa: RUF012 - the library declares it so
        "render_modes": ["ansi"],
        "name": "saniwa_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        scenario: Scenario,
        books: Sequence[Mapping[str, Any]],
        *,
        language: str | None = None,
        max_turns: int = episode.MAX_TURNS,
        most_actions: int = MAX_ACTIONS,
        render_mode: str | None = None,
    ) -> None:
        """Set the scenario up; `books` are the rulebook's layers, lowest first.

        Raises:
            RunError: `LANGUAGE_UNKNOWN`.
            ValueError: A number below 2.
        """
        super().__init__()
        episode.check_bounds(max_turns, most_actions)
        self._stage = RunTemplate(scenario, books, language=language)
        self._max_turns = max_turns
        self._most = most_actions
        self.render_mode = render_mode
        cast = [who.id for who in self._stage.cast]
        self.possible_agents: list[str] = [*cast]
        self.observation_spaces = {who: _make_agent_space(most_actions) for who in cast}
        self.action_spaces = {who: spaces.Discrete(most_actions) for who in cast}
        self.reset()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start again; the seed is stored with the run, and nothing else is random."""
        del options
        self.episode = episode.Episode(self._stage, seed or 0)
        """The current episode."""
        self._steps = 0
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._refused = dict.fromkeys(self.agents, False)
        self.agent_selection: str = self._select_next_agent()
        self._update_infos()

    def step(self, action: Any) -> None:
        """Try an action of the agent whose turn it is.

        An unused index is not an action: nothing happens, but the step counts.

        Raises:
            ValueError: The action is not in the action space.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self.action_space(agent):
            raise ValueError(f"{action!r} is not in {self.action_space(agent)}")
        self._cumulative_rewards[agent] = 0.0
        had_won = self.episode.is_won
        self._refused[agent] = self._try_action(int(action))
        self._steps += 1
        self._settle_rewards(had_won)
        self.agent_selection = self._select_next_agent()
        self._update_infos()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent perceives now, and which indexes it may choose."""
        listed = self.infos[agent]["admissible"]
        return {
            "text": self.episode.describe_perception(Id(agent)),
            "action_mask": make_action_mask(len(listed), self._most),
        }

    def observation_space(self, agent: str) -> "spaces.Dict":
        """Return the space of observations; the same for all agents."""
        return self.observation_spaces[Id(agent)]

    def action_space(self, agent: str) -> "spaces.Discrete":
        """Return the space of actions: an index in the list of allowed actions."""
        return self.action_spaces[Id(agent)]

    def render(self) -> str | None:
        """Return what the current agent perceives, if the render mode is `ansi`."""
        if self.render_mode != "ansi" or not self.agents:
            return None
        return self.episode.describe_perception(Id(self.agent_selection))

    def close(self) -> None:
        """Do nothing: no resource is open."""

    def _try_action(self, place: int) -> bool:
        """Do the action at an index of the list; return whether it was refused."""
        offers = self.episode.list_offers(Id(self.agent_selection))[: self._most]
        if place >= len(offers):
            return True
        return episode.is_refused(self.episode.act(offers[place].action))

    def _settle_rewards(self, had_won: bool) -> None:
        won = self.episode.is_won
        reward = episode.GOAL_REWARD if won and not had_won else 0.0
        self.rewards = dict.fromkeys(self.agents, reward)
        self.terminations = dict.fromkeys(self.agents, won)
        cut_off = not won and self._steps >= self._max_turns
        self.truncations = dict.fromkeys(self.agents, cut_off)

    def _select_next_agent(self) -> str:
        """Return whose turn it is: by the scenario's order, else one after the other."""
        return self.episode.speaker or self.agents[self._steps % len(self.agents)]

    def _update_infos(self) -> None:
        """List the allowed actions of the current agent; at the end, of all agents."""
        self.infos = {who: self._build_info(who) for who in self.agents}

    def _build_info(self, agent: str) -> dict[str, Any]:
        ended = self.terminations[agent] or self.truncations[agent]
        asked = ended or agent == self.agent_selection
        offers = self.episode.list_offers(Id(agent)) if asked else ()
        goals = self.episode.list_goals(Id(agent))
        return episode.build_step_info(offers, self._most, goals, refused=self._refused[agent])


def _make_agent_space(most: int) -> "spaces.Dict":
    mask = spaces.MultiBinary(most)
    return spaces.Dict({"text": make_observation_space(), "action_mask": mask})
