"""Golden turns: words in, actions, verdicts and questions out, one file per theme.

`each: fresh` plays every utterance in the opening world, after the utterances in its
`after`; `each: next` plays them one after another. All run twice: live, and with a snapshot
of the world restored before each turn.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from saniwa.language.parse import parse
from saniwa.rulebook.book import add_manners
from saniwa.rulebook.loader import build_rulebook, load_shipped_book, read_rulebook, resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.play import TurnOutcome, play_turn, update_left_places, update_mentioned
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.model import Id, World
from saniwa.world.queries import is_goal_reached
from saniwa.world.snapshot import restore_world, take_snapshot
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.worlds import make_courtyard

FILES = sorted((Path(__file__).parent / "turns").glob("*.yaml"))
WORLDS: dict[str, Callable[[], World]] = {
    "garden": make_courtyard,
    "house": make_house,
    "pantry": make_pantry,
}
_NO_TURN = Turn(
    id="",
    number=0,
    actor_id=Id(""),
    raw_text="",
    parsed_actions=(),
    normalized_actions=(),
    validation_results=(),
    applied_actions=(),
    timestamp=0,
)


def _render_action(action: Any) -> str:
    fields = msgspec.to_builtins(action)
    kind = fields.pop("type")
    del fields["actorId"]
    return " ".join([kind, *(f"{k}={v}" for k, v in fields.items())])


def to_golden(turn: Turn) -> dict[str, Any]:
    """The turn as golden files have it; empty fields are left out."""
    asked = turn.clarification
    found: dict[str, Any] = {
        "words": turn.raw_text,
        "actions": [_render_action(a) for a in turn.normalized_actions],
        "verdicts": [v.reason_code for v in turn.validation_results],
        "rejections": [r.code for r in turn.rejections],
        "asked": f"{asked.code} {asked.field}".strip() if asked else "",
        "options": [o.id for o in asked.options] if asked else [],
        "answers": [each.kind for each in turn.answers],
    }
    return {key: value for key, value in found.items() if value}


class _GoldenPlayer:
    """Plays utterances one after another with one rulebook."""

    def __init__(self, document: dict[str, Any], put_away: bool) -> None:
        self.world = WORLDS[document["world"]]()
        self.book = read_rulebook(load_shipped_book(document.get("book", "default")))
        self.put_away = put_away
        self.mentioned: tuple[Id, ...] = ()
        self.came_from: Mapping[Id, Id] = {}

    def play(self, text: str) -> Turn:
        """Play the next turn."""
        world = restore_world(take_snapshot(self.world)) if self.put_away else self.world
        actor = world.protagonist or Id("")
        words = SpokenWords(
            actor_id=actor, text=text, mentioned=self.mentioned, came_from=self.came_from
        )
        played: TurnOutcome = play_turn(words, parse(text, actor, world), world, self.book)
        self.world = played.world
        self.mentioned = update_mentioned(played.turn, self.mentioned)
        self.came_from = update_left_places(actor, played.turn.changes, self.came_from)
        return played.turn


def play_golden(document: dict[str, Any], put_away: bool) -> list[dict[str, Any]]:
    """Play every turn of a golden file with the current code."""
    player = _GoldenPlayer(document, put_away)
    found = []
    for expected in document["turns"]:
        turn = _NO_TURN
        if document["each"] == "fresh":
            player = _GoldenPlayer(document, put_away)
        for text in (*expected.get("after", ()), expected["words"]):
            turn = player.play(text)
        before = {"after": expected["after"]} if "after" in expected else {}
        found.append(before | to_golden(turn))
    return found


@pytest.mark.parametrize("put_away", [False, True], ids=["live", "put-away"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_words_mean_what_the_golden_file_says(file: Path, put_away: bool) -> None:
    """Each utterance gives the actions, verdicts and questions in the golden file."""
    document = yaml.safe_load(file.read_text(encoding="utf-8"))

    assert document["turns"] == play_golden(document, put_away)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_golden_files_hold_enough_of_each_language(language: str) -> None:
    """The golden files have at least sixty utterances in each language."""
    documents = [yaml.safe_load(f.read_text(encoding="utf-8")) for f in FILES]
    kept = [t for d in documents if d["language"] == language for t in d["turns"]]

    assert 60 <= len(kept)


SCENARIOS = Path(__file__).parents[2] / "experiments" / "scenarios"
WALKS = [
    *sorted((SCENARIOS / "walkthroughs").glob("*.txt")),
    *sorted((Path(__file__).parent / "turns").glob("*.natural.txt")),
]
"""The shipped walkthroughs, and the same stories as a person might type them."""


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.stem)
def test_a_walkthrough_is_understood_to_its_goal(walk: Path) -> None:
    """No line of a walkthrough is unclear, and the goal, where there is one, is reached."""
    scenario_id = walk.name.split(".")[0]
    scenario = load_scenario(Registry.open(SCENARIOS / "registry.yaml").resolve(scenario_id))
    spec = scenario.rulebook
    named = spec if isinstance(spec, str) else "default"
    layers = [*resolve_layers(named), *([spec] if isinstance(spec, dict) else [])]
    book = build_rulebook(layers)
    world = add_manners(scenario.world, book)
    actor = world.protagonist or Id("")
    mentioned: tuple[Id, ...] = ()
    turns: list[Turn] = []
    for line in walk.read_text(encoding="utf-8").split("\n"):
        if line.strip() and not line.startswith("#"):
            words = SpokenWords(actor_id=actor, text=line, mentioned=mentioned)
            claims = parse(line, actor, world)
            turn, world = play_turn(words, claims, world, book)
            mentioned = update_mentioned(turn, mentioned)
            turns.append(turn)

    unclear = [t.raw_text for t in turns if t.clarification or t.rejections]
    assert [] == unclear
    assert world.goal is None or is_goal_reached(world)
