import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from pettingzoo.test import api_test, seed_test

from saniwa.app.environments import make_multi_agent_environment
from saniwa.integrations.pettingzoo_env import MultiAgentEnv
from tests.fakes.environment_scenarios import ATTIC, open_with_layers

SCENARIOS = ("coffee_trap", "hidden_object", "door_and_key", "lantern_island_ja")


def _make_attic_env(**how: Any) -> MultiAgentEnv:
    return MultiAgentEnv(*open_with_layers(ATTIC), **how)


def _find_action(env: MultiAgentEnv, text: str) -> int:
    listed: list[str] = env.infos[env.agent_selection]["admissible"]
    return listed.index(text)


@pytest.fixture
def _ignored_advice() -> Iterator[None]:
    """The checker's advice on observations and agent names that is deliberately not followed.

    Observations are text, and agents are named by the ids of their characters.
    """
    with warnings.catch_warnings():
        for advice in (
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be",
            "We recommend agents to be named",
        ):
            warnings.filterwarnings("ignore", message=advice)
        yield


@pytest.mark.usefixtures("_ignored_advice")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_librarys_own_checker_is_content(scenario: str) -> None:
    """PettingZoo's own checker reports no error."""
    env = make_multi_agent_environment(scenario, render_mode="ansi")

    api_test(env, num_cycles=60)

    assert env.possible_agents


@pytest.mark.parametrize("scenario", ["door_and_key", "lantern_island_ja"])
def test_the_librarys_seed_test_passes(scenario: str) -> None:
    """PettingZoo's seed test passes: the same seed gives the same steps."""
    seed_test(lambda: make_multi_agent_environment(scenario), num_cycles=30)

    assert ["ann", "ben", "cat"] == _make_attic_env().possible_agents


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_agents_without_sense_play_on(scenario: str) -> None:
    """Two hundred random turns of all characters cause no error."""
    env = make_multi_agent_environment(scenario, max_turns=200)
    env.reset(seed=5)
    for agent in env.possible_agents:
        env.action_space(agent).seed(5)

    for agent in env.agent_iter(200):
        seen, _, won, cut_off, about = env.last()
        assert not about["refused"]
        ended = won or cut_off
        mask = seen["action_mask"]
        env.step(None if ended else env.action_space(agent).sample(mask))


def test_everyone_perceives_from_where_they_stand() -> None:
    """Each agent observes its own surroundings only."""
    env = _make_attic_env()

    seen = {agent: env.observe(agent)["text"] for agent in env.agents}

    assert "Attic" in seen["ann"]
    assert "lamp" not in seen["ann"]
    assert "Cellar" in seen["cat"]
    assert "chest" not in seen["cat"]


def test_a_goal_is_everyones() -> None:
    """Reaching the goal rewards every agent once, and ends the episode for all."""
    env = _make_attic_env()
    way = ["go to the Stairs", "go to the Cellar", "take the lamp"]
    while way:
        ann = env.agent_selection == "ann"
        env.step(_find_action(env, way.pop(0) if ann else "wait"))

    assert {"ann": 1.0, "ben": 1.0, "cat": 1.0} == env.rewards
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    while env.agents:
        env.step(None)


def test_turns_go_round_or_by_the_scenarios_order() -> None:
    """Agents act in the author's order, or in the scenario's turn order."""
    ordered = MultiAgentEnv(*open_with_layers({**ATTIC, "turn_order": ["cat", "cat", "ann"]}))
    told = []
    for env in (_make_attic_env(), ordered):
        for _ in range(4):
            told.append(env.agent_selection)
            env.step(_find_action(env, "wait"))

    assert ["ann", "ben", "cat", "ann", "cat", "cat", "ann", "cat"] == told


def test_an_empty_place_in_the_list_does_nothing() -> None:
    """Choosing an empty place in the list is a refused turn without effect."""
    env = _make_attic_env()
    before = env.episode.run.world

    env.step(511)

    assert before == env.episode.run.world
    assert (True, "ben") == (env.infos["ann"]["refused"], env.agent_selection)


@pytest.mark.parametrize("action", [-1, 512, "wait", None])
def test_a_claim_that_is_not_an_action_is_reported(action: Any) -> None:
    """An action outside the action space is an error."""
    with pytest.raises(ValueError, match="is not in Discrete"):
        _make_attic_env().step(action)


def test_an_episode_is_cut_off_after_its_last_turn() -> None:
    """An episode that is not won in time is truncated for all agents."""
    env = _make_attic_env(max_turns=2)

    for _ in range(2):
        env.step(_find_action(env, "wait"))

    assert all(env.truncations.values())
    assert not any(env.terminations.values())


def test_a_number_that_makes_no_sense_is_refused() -> None:
    """An episode of one turn is refused."""
    with pytest.raises(ValueError, match="max_turns is 1"):
        _make_attic_env(max_turns=1)


def test_it_is_shown_only_where_that_is_asked_for() -> None:
    """With render mode `ansi` the next agent's perception is shown; without it nothing is."""
    assert "Attic" in str(_make_attic_env(render_mode="ansi").render())
    assert _make_attic_env().render() is None
