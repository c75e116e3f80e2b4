from importlib.resources import files
from pathlib import Path

import pytest

from saniwa.language.parse import parse
from saniwa.rulebook.book import add_manners
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.play import play_turn, update_mentioned
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.model import Id, World
from saniwa.world.queries import is_goal_reached

_FOLDER = Path(str(files("experiments"))) / "scenarios"
_REGISTRY = Registry.open(_FOLDER / "registry.yaml")

_REFUSED = {
    "coffee_trap": ["NOT_FOUND"],
    "missing_tool": ["NOT_FOUND"],
    "wrong_location": ["NOT_PRESENT"],
    "locked_door": ["LOCKED"],
    "door_and_key": ["LOCKED"],
    "door_and_key_ja": ["LOCKED"],
}
"""The refusals that each walkthrough tests on purpose."""


def _walk_through(scenario_id: str, book_name: str) -> tuple[list[Turn], World]:
    book = build_rulebook(resolve_layers(book_name))
    world = add_manners(load_scenario(_REGISTRY.resolve(scenario_id)).world, book)
    text = (_FOLDER / "walkthroughs" / f"{scenario_id}.txt").read_text(encoding="utf-8")
    turns: list[Turn] = []
    mentioned: tuple[Id, ...] = ()
    actor = world.protagonist
    assert actor is not None
    for number, line in enumerate(text.strip().split("\n")):
        words = SpokenWords(actor_id=actor, text=line, number=number, mentioned=mentioned)
        turn, world = play_turn(words, parse(line, actor, world), world, book)
        mentioned = update_mentioned(turn, mentioned)
        turns.append(turn)
    return turns, world


_IDS = [entry.scenario_id for entry in _REGISTRY.entries]
_CRAFTS = ("kitchen", "kitchen_ja")
"""Stories whose verbs are defined in their own rulebook only."""
_PAIRS = [
    (scenario_id, book)
    for scenario_id in _IDS
    for book in (("cooking",) if scenario_id in _CRAFTS else ("default", "strict"))
]


@pytest.mark.parametrize(("scenario_id", "book"), _PAIRS)
def test_a_walkthrough_is_understood_and_reaches_its_goal(scenario_id: str, book: str) -> None:
    """Every line is understood, only the intended ones are refused, and the goal is reached."""
    turns, world = _walk_through(scenario_id, book)
    verdicts = [v for turn in turns for v in turn.validation_results]

    assert _REFUSED.get(scenario_id, []) == [v.reason_code for v in verdicts if not v.success]
    assert [] == [t.raw_text for t in turns if t.rejections or t.clarification]
    assert all(turn.validation_results for turn in turns)
    assert world.goal is None or is_goal_reached(world)
