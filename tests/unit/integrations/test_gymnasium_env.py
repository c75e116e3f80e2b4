from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from saniwa.app.environments import make_environment, register_environments
from saniwa.core.errors import RunError
from saniwa.integrations.gymnasium_env import PROGRESS_REWARD, ScenarioEnv
from tests.fakes.environment_scenarios import ATTIC, open_with_layers

SCENARIOS = (
    "coffee_trap",
    "hidden_object",
    "door_and_key",
    "door_and_key_ja",
    "lantern_island",
    "lantern_island_ja",
)


def _make_attic_env(**how: Any) -> ScenarioEnv:
    return ScenarioEnv(*open_with_layers(ATTIC), **how)


def _find_action(about: dict[str, Any], text: str) -> int:
    listed: list[str] = about["admissible"]
    return listed.index(text)


@pytest.mark.parametrize("actions", ["list", "words"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_librarys_own_checker_is_content(scenario: str, actions: str) -> None:
    """Gymnasium's own checker reports nothing."""
    register_environments()
    made = gymnasium.make(f"saniwa/{scenario}-v0", actions=actions, render_mode="ansi")

    check_env(made.unwrapped)

    assert scenario in str(made.spec)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_learner_without_sense_keeps_playing(scenario: str) -> None:
    """Two hundred random allowed steps cause no error."""
    env = make_environment(scenario, max_turns=70)
    env.action_space.seed(7)
    _, about = env.reset(seed=7)

    for _ in range(200):
        action = env.action_space.sample(about["action_mask"])
        seen, _, won, cut_off, about = env.step(action)
        assert seen in env.observation_space
        assert not about["refused"]
        if won or cut_off:
            _, about = env.reset()


@pytest.mark.parametrize("scenario", ["door_and_key", "door_and_key_ja"])
def test_reaching_the_goal_is_rewarded_once_and_ends_it(scenario: str) -> None:
    """Reaching the goal gives a reward of 1 once, and ends the episode."""
    env = make_environment(scenario)
    rewards, won = list[float](), False

    while not won and len(rewards) < 30:
        hint = env.episode.run.find_hint()
        offers = [offer.action for offer in env.episode.list_offers(env.episode.run.actor)]
        assert hint.action is not None
        _, reward, won, _, _ = env.step(offers.index(hint.action))
        rewards.append(reward)

    assert won
    assert [*[0.0] * (len(rewards) - 1), 1.0] == rewards


def test_an_episode_is_cut_off_after_its_last_step() -> None:
    """An episode that is not won in time is truncated, not terminated."""
    env = _make_attic_env(max_turns=3)
    _, about = env.reset()
    wait = _find_action(about, "wait")

    ends = [env.step(wait)[2:4] for _ in range(3)]

    assert [(False, False), (False, False), (False, True)] == ends


def test_the_same_seed_and_steps_give_the_same_episode() -> None:
    """The same seed and steps give the same episode."""
    told = []
    for _ in range(2):
        env = make_environment("lantern_island")
        env.action_space.seed(3)
        seen, about = env.reset(seed=3)
        words = [seen]
        for _ in range(40):
            action = env.action_space.sample(about["action_mask"])
            seen, _, _, _, about = env.step(action)
            words += [seen, *about["admissible"]]
        told.append(words)

    assert told[0] == told[1]


def test_an_empty_place_in_the_list_does_nothing() -> None:
    """Choosing an empty place in the list is a refused step without effect."""
    env = _make_attic_env()
    before = env.episode.run.world

    _, reward, won, cut_off, about = env.step(511)

    assert (0.0, False, False, True) == (reward, won, cut_off, about["refused"])
    assert before == env.episode.run.world


@pytest.mark.parametrize("action", [-1, 512, "wait", None])
def test_a_claim_that_is_not_an_action_is_reported(action: Any) -> None:
    """An action outside the action space is an error."""
    with pytest.raises(ValueError, match="is not in Discrete"):
        _make_attic_env().step(action)


def test_a_list_that_is_too_short_says_what_it_left_out() -> None:
    """Actions that do not fit in the list are counted."""
    env = _make_attic_env(most_actions=4)

    _, about = env.reset()
    whole = len(env.episode.list_offers(env.episode.run.actor))

    assert (4, whole - 4) == (len(about["admissible"]), about["left_out"])
    assert [1, 1, 1, 1] == about["action_mask"].tolist()


@pytest.mark.parametrize(
    ("scenario", "actor"),
    [("hidden_object", "tailor"), ("lantern_island", "orla"), ("door_and_key_ja", None)],
)
def test_everything_listed_can_be_given_as_words(scenario: str, actor: str | None) -> None:
    """Where actions are words, each listed line does exactly its action."""
    env = make_environment(scenario, actions="words", actor=actor)

    for offer in env.episode.list_offers(env.episode.run.actor):
        env.reset()
        *_, about = env.step(offer.text)
        [turn] = env.episode.run.read_turns()
        assert not about["refused"], offer.text
        assert [offer.action] == [*turn.normalized_actions]


def test_words_of_ones_own_are_heard_as_a_players() -> None:
    """Free words are understood, or refused with a reason in the observation."""
    env = _make_attic_env(actions="words")

    seen, *_, about = env.step("open the chest, please, and take the moon")

    assert about["refused"]
    assert "moon" in seen
    assert "diamond" in seen


def test_coming_nearer_is_rewarded_where_that_is_asked_for() -> None:
    """With shaped rewards, a step nearer to the goal pays a little, and a step away costs it."""
    env = _make_attic_env(shaped=True)
    _, about = env.reset()

    there = env.step(_find_action(about, "go to the Stairs"))
    back = env.step(_find_action(there[4], "go to the Attic"))

    assert pytest.approx(PROGRESS_REWARD) == there[1]
    assert pytest.approx(-PROGRESS_REWARD) == back[1]


def test_others_let_time_pass_where_there_is_an_order() -> None:
    """In a scenario with a turn order, others wait until it is the learner's turn."""
    ordered = {**ATTIC, "turn_order": ["ben", "ann", "cat"]}
    env = ScenarioEnv(*open_with_layers(ordered))
    _, about = env.reset()

    refusals = []
    for _ in range(4):
        *_, about = env.step(_find_action(about, "wait"))
        refusals.append(about["refused"])

    assert [False] * 4 == refusals


def test_another_character_can_be_played() -> None:
    """The learner's character can be chosen, and an unknown one is refused."""
    seen, about = _make_attic_env(actor="cat").reset()

    assert "Cellar" in seen
    assert "take the lamp" in about["admissible"]
    with pytest.raises(RunError, match="'dog'"):
        _make_attic_env(actor="dog")


def test_it_is_shown_only_where_that_is_asked_for() -> None:
    """With render mode `ansi` the perception is shown; without it nothing is."""
    shown = _make_attic_env(render_mode="ansi").render()

    assert shown is not None
    assert "Attic" in shown
    assert _make_attic_env().render() is None


@pytest.mark.parametrize("how", [{"max_turns": 1}, {"most_actions": 0}, {"actions": "thoughts"}])
def test_settings_that_make_no_sense_are_refused(how: dict[str, Any]) -> None:
    """Impossible settings are refused at once."""
    with pytest.raises(ValueError, match=r"must be 2|'list' or 'words'"):
        _make_attic_env(**how)


def test_many_can_be_played_side_by_side() -> None:
    """The library's vector of environments works."""
    many = gymnasium.vector.SyncVectorEnv([_make_attic_env, _make_attic_env])

    seen, _ = many.reset(seed=1)
    _, rewards, *_ = many.step(np.array([0, 1]))

    assert seen[0] == seen[1]
    assert [0.0, 0.0] == rewards.tolist()


@pytest.mark.parametrize("scenario", ["door_and_key", "door_and_key_ja"])
def test_environments_in_processes_of_their_own_see_the_same(scenario: str) -> None:
    """Environments in separate processes give the same as in one process."""
    register_environments()
    told = {}
    for mode in ("sync", "async"):
        envs = gymnasium.make_vec(f"saniwa/{scenario}-v0", num_envs=2, vectorization_mode=mode)
        begun, _ = envs.reset(seed=1)
        seen, *_ = envs.step([0, 1])
        told[mode] = (begun, seen)
        envs.close()

    assert told["sync"] == told["async"]


@pytest.mark.parametrize("text", ["", "The letter said", "手紙 🗝", "a\x00b"])
def test_words_are_the_same_after_they_were_numbers(text: str) -> None:
    """Text is the same after conversion to numbers and back."""
    space = make_environment("door_and_key").observation_space

    flat = gymnasium.spaces.flatten(space, text)

    assert flat in gymnasium.spaces.flatten_space(space)
    assert text == gymnasium.spaces.unflatten(space, flat)
