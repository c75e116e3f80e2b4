"""Golden narrations: texts about a turn that must pass the check, and others that must not.

A file plays each turn in its world, after the turns in `after`, and lists what a model
might say about it: `good`, and `bad` by the kind of flag it must raise, or `any`. The check
is strict, and not perfect: `flagged though true` and `told though false` list its errors.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from saniwa.agent.narration.narrator import check_narration
from saniwa.app.scenario_lookup import open_scenario
from saniwa.turn.narration import narrate
from saniwa.turn.record import NarrationFlag, Turn
from saniwa.world.model import Id, World
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import speak, speak_all
from tests.fakes.worlds import make_courtyard

FILES = sorted((Path(__file__).parent / "narrations").glob("*.yaml"))
NAMES = [file.stem for file in FILES]
WORLDS: dict[str, Callable[[], World]] = {
    "garden": make_courtyard,
    "house": make_house,
    "pantry": make_pantry,
    "door_and_key": lambda: open_scenario("door_and_key").world,
    "door_and_key_ja": lambda: open_scenario("door_and_key_ja").world,
    "lantern_island": lambda: open_scenario("lantern_island").world,
}


class PlayedTurn(NamedTuple):
    """A turn of a golden file, and the worlds before and after it."""

    told: dict[str, Any]
    """The turn's entry in the file."""
    turn: Turn
    before: World
    after: World

    def check(self, text: str) -> tuple[NarrationFlag, ...]:
        """The flags that a narration of it raises."""
        viewer = self.before.protagonist or Id("")
        return check_narration(text, self.turn, self.before, self.after, viewer)

    def list_texts(self, name: str) -> list[str]:
        """Its narrations of one kind, except `bad`."""
        return list(self.told.get(name, ()))

    def list_bad(self) -> list[tuple[str, str]]:
        """Its bad narrations, each with the kind of flag it must raise."""
        return [(kind, text) for kind, texts in self.told["bad"].items() for text in texts]


@functools.cache
def _read_document(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return document


@functools.cache
def _play_file(file: Path) -> list[PlayedTurn]:
    document = _read_document(file)
    world = WORLDS[document["world"]]()
    return [_play_turn(told, world) for told in document["turns"]]


def _play_turn(told: dict[str, Any], world: World) -> PlayedTurn:
    before = speak_all(world, *told.get("after", ()))
    played = speak(told["words"], before)
    return PlayedTurn(told, played.turn, before, played.world)


def _play_all() -> list[PlayedTurn]:
    return [turn for file in FILES for turn in _play_file(file)]


def test_there_are_enough_of_both() -> None:
    """There are at least 200 good and 600 bad narrations, and every world is used."""
    assert sum(len(turn.list_texts("good")) for turn in _play_all()) >= 200
    assert sum(len(turn.list_bad()) for turn in _play_all()) >= 600
    assert set(WORLDS) == {_read_document(file)["world"] for file in FILES}


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_what_is_true_may_be_described(file: Path) -> None:
    """A narration that is true of the turn raises no flag."""
    texts = [(turn, text) for turn in _play_file(file) for text in turn.list_texts("good")]

    assert {} == {text: flags for turn, text in texts if (flags := turn.check(text))}


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_what_is_lost_to_strictness_is_known(file: Path) -> None:
    """Each true narration that is known to be flagged is still flagged; otherwise it is good."""
    name = "flagged though true"
    texts = [(turn, text) for turn in _play_file(file) for text in turn.list_texts(name)]

    assert [] == [text for turn, text in texts if not turn.check(text)]


def test_what_gets_through_is_known() -> None:
    """Each false narration that is known to pass still passes, and there are few of them."""
    turns = _play_all()
    known = [(turn, text) for turn in turns for text in turn.list_texts("told though false")]

    assert [] == [text for turn, text in known if turn.check(text)]
    assert len(known) * 50 < sum(len(turn.list_bad()) for turn in turns)


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_what_is_not_so_is_flagged(file: Path) -> None:
    """A narration that adds or contradicts something is flagged with the right kind."""
    wrong = []
    for turn in _play_file(file):
        for kind, text in turn.list_bad():
            flags = {
                flag.kind for flag in turn.check("You wait. " * 300 if text == "long" else text)
            }
            if not (flags if kind == "any" else kind in flags):
                wrong.append((text, kind, flags))

    assert [] == wrong


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_the_plain_narrator_passes_its_own_check(file: Path) -> None:
    """The plain narrator's text about each of these turns raises no flag."""
    flagged = {}
    for turn in _play_file(file):
        told = narrate(turn.turn, turn.before, turn.after)
        text = "\n".join(
            f"{line.speaker}: “{line.text}”" if line.speaker else line.text for line in told
        )
        if flags := turn.check(text):
            flagged[text] = flags

    assert {} == flagged
