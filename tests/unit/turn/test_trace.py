import msgspec
import pytest

from saniwa.turn.record import RulebookEdit, RunReturn, Turn, list_claim_indexes
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import speak
from tests.fakes.worlds import make_courtyard


@pytest.mark.parametrize(
    "text", ["take the key, open the gate", "take the moon", "xyzzy", "", 'say "Hi."']
)
def test_a_turn_comes_back_as_it_was_written(text: str) -> None:
    """Every kind of turn is equal after writing and reading it."""
    turn = speak(text, make_courtyard()).turn

    assert turn == msgspec.json.decode(msgspec.json.encode(turn), type=Turn)


def test_a_turn_is_written_under_the_names_of_the_contract() -> None:
    """The seven fields of a turn have their published names."""
    written = msgspec.to_builtins(speak("take a coin", make_pantry()).turn)

    published = (
        "id rawText parsedActions normalizedActions validationResults appliedActions timestamp"
    )
    assert set(published.split()) <= set(written)
    assert {"clarification", "worldBefore", "worldAfter", "book"} <= set(written)


@pytest.mark.parametrize("aside", [RunReturn(to=-1), RulebookEdit(book={"rules": []})])
def test_what_is_done_next_to_the_story_is_kept_too(aside: RunReturn | RulebookEdit) -> None:
    """A step back and an edit of the book are part of the record."""
    turn = msgspec.structs.replace(speak("look", make_courtyard()).turn, aside=aside)

    assert aside == msgspec.json.decode(msgspec.json.encode(turn), type=Turn).aside


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("take the key. xyzzy. open the gate", (0, 2)),
        ("xyzzy. east. take all. west", (1, 2, 2, 3)),
        ("use", ()),
    ],
)
def test_every_action_has_a_claim_behind_it(text: str, places: tuple[int, ...]) -> None:
    """The record shows which claim each action came from."""
    assert places == list_claim_indexes(speak(text, make_courtyard()).turn)
