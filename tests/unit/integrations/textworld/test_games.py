"""Whole games: Saniwa allows everything TextWorld allows, and the walkthrough wins."""

from collections.abc import Callable
from typing import Any

import pytest

from saniwa.documents.document import make_document
from saniwa.integrations.textworld.importer import import_game
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.runs.rehearsal import WorldTrial
from saniwa.scenario.loader import load_scenario
from saniwa.story.step_builder import WorldRequest
from saniwa.world.model import World
from saniwa.world.queries import is_goal_reached
from tests.fakes.nightly import sample_cases
from tests.fakes.textworld import (
    PASSIVE,
    iterate_states,
    make_challenge_game,
    make_custom_game,
    make_tiny_game,
    to_document,
)
from tests.strangers.textworld_dialect import PLAYER, StrictDialect

_STRICT = build_rulebook(resolve_layers("strict"))
Make = Callable[[], Any]


def _list_allowed(world: World) -> set[str]:
    """Every active command that the strict book allows, in TextWorld's words."""
    said = StrictDialect().list_commands(find_admissible_actions(world, PLAYER, _STRICT), world)
    return {command for command in said if not command.startswith(PASSIVE)}


def _check(game: Any) -> None:
    imported = import_game(to_document(game), "game")
    assert imported.scenario is not None, imported.report.errors
    world = load_scenario(imported.scenario).world
    trial = WorldTrial(world, _STRICT, PLAYER)
    assert imported.walkthrough
    for line, allowed, progress in iterate_states(game):
        assert allowed == _list_allowed(trial.world), line
        assert progress.completed == is_goal_reached(trial.world), line
        if line:
            assert trial.do(WorldRequest(line, spoken=True)).allowed, line


_QUICK: dict[str, Make] = {
    "custom": lambda: make_custom_game(1),
    "doors and locks": lambda: make_custom_game(7, rooms=8, objects=20, length=8, include_adj=True),
    "three quests": lambda: make_custom_game(4, objects=15, length=4, parallel=3),
    "simple": lambda: make_challenge_game("tw-simple", 1, rewards="dense", goal="detailed", test=False),
    "coins": lambda: make_challenge_game("tw-coin_collector", 1, level=5),
    "treasure": lambda: make_challenge_game("tw-treasure_hunter", 1, level=11),
}  # fmt: skip


@pytest.mark.parametrize("make", _QUICK.values(), ids=_QUICK.keys())
def test_a_game_plays_as_it_does_in_textworld(make: Make) -> None:
    """In every state of the walkthrough the same commands are allowed, and it wins."""
    _check(make())


_MANY: list[tuple[str, Make]] = [
    *((f"custom {seed}", lambda seed=seed: make_custom_game(seed, rooms=3 + seed % 8, objects=8 + seed % 25, length=1 + seed % 9)) for seed in range(100, 118)),
    *((f"adjectives {seed}", lambda seed=seed: make_custom_game(seed, rooms=6, objects=25, length=5, include_adj=True)) for seed in range(200, 205)),
    *((f"numbers {seed}", lambda seed=seed: make_custom_game(seed, rooms=10, objects=40, length=7, theme="basic", allowed_variables_numbering=True)) for seed in range(300, 303)),
    *((f"quests {seed}", lambda seed=seed: make_custom_game(seed, rooms=5, objects=15, length=4, parallel=2, breadth=2)) for seed in range(400, 405)),
    *((f"simple {seed}", lambda seed=seed: make_challenge_game("tw-simple", seed, rewards=("dense", "balanced", "sparse")[seed % 3], goal="brief", test=seed % 2 == 0)) for seed in range(6)),
    *((f"coins {level}", lambda level=level: make_challenge_game("tw-coin_collector", level, level=level)) for level in (1, 50, 115, 220)),
    *((f"treasure {level}", lambda level=level: make_challenge_game("tw-treasure_hunter", level, level=level)) for level in (1, 8, 12, 18, 22, 27)),
]  # fmt: skip
_TRIED = dict(sample_cases(_MANY, 6, lambda case: case[0]))


@pytest.mark.slow
@pytest.mark.parametrize("make", _TRIED.values(), ids=_TRIED.keys())
def test_many_games_play_as_they_do_in_textworld(make: Make) -> None:
    """The same for games of many seeds, sizes and kinds."""
    _check(make())


def test_there_are_at_least_forty_of_them() -> None:
    """The slow test has at least forty games."""
    assert len(_MANY) >= 40


def test_a_game_that_needs_other_rules_is_refused_with_what_it_needs() -> None:
    """A game with unknown predicates, types or rules is refused, and they are named."""
    document = make_tiny_game("melted(f_0)", "edible(f_0)", "at(pot_0, r_0)")
    document["KB"]["logic"] = "rules { melt :: at(f, r) -> melted(f); }"
    imported = import_game(make_document(document), "game")

    assert imported.scenario is None
    told = "\n".join(f.message for f in imported.report.errors)
    assert {"GAME_UNSUPPORTED"} == {f.code for f in imported.report.errors}
    assert "melted(f)" in told
    assert "an entity of type pot" in told
    assert "'melt'" in told
