import pytest

from saniwa.experiment.answer_assessment import find_misaddressed
from saniwa.scenario.loader import load_scenario
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

PEOPLE = {
    "ann": {"name": "Ann", "location": "kitchen"},
    "ben": {"name": "Ben", "location": "kitchen"},
    "yana": {"name": "やな", "location": "study"},
}
WORLD = load_scenario(HOUSE | {"characters": PEOPLE}).world


@pytest.mark.parametrize(
    ("speech", "whom"),
    [
        ("Ben, look at this.", ""),
        ("やな、おいで。", "やな"),
        ("いいね。やなちゃん、聞いて！", "やな"),
        ("Ann, wake up!", "Ann"),
        ("I like やな very much.", ""),
        ("Zed, where are you?", ""),
        ("", ""),
    ],
)
def test_no_character_is_called_who_cannot_hear(speech: str, whom: str) -> None:
    """Only a name in an address counts, of a character who is elsewhere or is the speaker."""
    assert whom == find_misaddressed(speech, Id("ann"), WORLD)
