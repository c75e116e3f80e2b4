import msgspec
import pytest

from saniwa.language.parse import parse
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.turns import DEFAULT, speak, speak_all
from tests.fakes.worlds import make_courtyard


@pytest.mark.parametrize(
    "text", ["2", "２", "#2", "second", "the second one", "coin-2", "copper coin (on shelf)"]
)
def test_an_option_is_chosen_by_number_id_or_label(text: str) -> None:
    """An option chosen by number, id or label completes the earlier claim with its id."""
    asked = speak("take a coin", make_pantry()).turn

    assert ({"type": "take", "targetId": "coin-2"},) == complete_with_answer(
        asked, text, make_pantry()
    )


def test_an_option_is_chosen_by_what_distinguishes_it() -> None:
    """A part of a name is enough if only one option has it."""
    world = speak_all(make_courtyard(), "take the key", "east")
    asked = speak("examine key", world).turn

    expected = ({"type": "inspect", "targetId": "rusty"},)
    assert expected == complete_with_answer(asked, "the rusty one", world)


@pytest.mark.parametrize("text", ["9", "copper coin", "go north", "", "x" * 500, "0"])
def test_words_that_choose_nothing_are_new_words(text: str) -> None:
    """Words that name no option, or several, are not an answer."""
    asked = speak("take a coin", make_pantry()).turn

    assert complete_with_answer(asked, text, make_pantry()) is None


def test_a_turn_that_asked_nothing_has_no_answer() -> None:
    """After a turn without a question there is nothing to answer."""
    assert complete_with_answer(speak("look", make_pantry()).turn, "1", make_pantry()) is None


def test_nothing_said_can_only_be_answered_with_new_words() -> None:
    """An empty turn leaves no claim to complete."""
    assert complete_with_answer(speak("", make_pantry()).turn, "1", make_pantry()) is None


def test_the_rest_of_the_claims_is_kept() -> None:
    """Only the unclear claim changes; the other claims are played as they were said."""
    asked = speak("take Bread and Butter and a coin, then wait", make_pantry()).turn
    claims = complete_with_answer(asked, "1", make_pantry())

    assert claims is not None
    turn = play_turn(SpokenWords(actor_id=ANNA, text="1"), claims, make_pantry(), DEFAULT).turn
    assert ["OK"] * 3 == [v.reason_code for v in turn.validation_results]


def test_what_was_missing_is_filled_in() -> None:
    """A missing recipient is filled in with the named person."""
    asked = speak("give the red apple", make_pantry()).turn

    assert (
        {"type": "give", "target": "the red apple", "recipientId": "carla"},
    ) == complete_with_answer(asked, "to Carla".removeprefix("to "), make_pantry())


def test_a_way_is_chosen_by_its_label() -> None:
    """A question about exits can be answered with a direction."""
    asked = speak("leave", make_pantry()).turn

    assert ({"type": "move", "targetId": "cellar"},) == complete_with_answer(
        asked, "down", make_pantry()
    )


def test_japanese_answers_count_too() -> None:
    """２番 and a name are answers in Japanese."""
    asked = speak("取る", make_house()).turn
    by_name = complete_with_answer(asked, "真鍮のほう", make_house())

    assert by_name == complete_with_answer(asked, "２番", make_house())
    assert ({"type": "take", "targetId": "鍵"},) == by_name


def test_what_to_say_is_answered_by_saying_it() -> None:
    """After a question what to say, plain words are said, and a command is still a command."""
    asked = speak("say", make_courtyard()).turn

    assert ({"type": "speak", "content": "Hooray"},) == complete_with_answer(
        asked, "Hooray", make_courtyard()
    )
    assert complete_with_answer(asked, "go east", make_courtyard()) is None
    assert parse("go east", ANNA, make_courtyard())


def test_a_question_about_claims_that_are_gone_has_no_answer() -> None:
    """A question without an incomplete claim has no answer."""
    asked = speak("take a coin", make_pantry()).turn
    strange = msgspec.structs.replace(asked, parsed_actions=({"type": "fly"}, 3))

    assert complete_with_answer(strange, "1", make_pantry()) is None


def test_what_was_left_out_can_be_anything() -> None:
    """A thing that is not among the options completes the claim too."""
    asked = speak("put the tin in", make_pantry()).turn
    claims = complete_with_answer(asked, "the moon", make_pantry())

    assert ({"type": "put", "target": "the tin", "destination": "the moon"},) == claims
    assert complete_with_answer(asked, "go north", make_pantry()) is None


@pytest.mark.parametrize(
    "text",
    ["I took the rusty key", "never mind", "yes", "cancel", "help", "hello", "forget it",
     "the rusty key is nice", "the rusty key?", "not the rusty one", "look at the rusty key",
     "where is the rusty key?", "maybe the rusty key later", "if it rains, the rusty key"],
)  # fmt: skip
def test_a_new_sentence_is_no_answer(text: str) -> None:
    """A sentence after a question is a new command, not an answer."""
    shed = speak_all(make_courtyard(), "take the key", "east")

    for question in ("take", "put the brass key", "examine key"):
        assert complete_with_answer(speak(question, shed).turn, text, shed) is None


@pytest.mark.parametrize("text", ["はい", "いいえ", "鍵を見る", "鍵を取るな", "鍵？", "何がある？"])
def test_a_new_japanese_sentence_is_no_answer(text: str) -> None:
    """In Japanese, a command, a question and an interjection are not answers."""
    assert complete_with_answer(speak("取る", make_house()).turn, text, make_house()) is None


def test_courtesies_are_no_part_of_an_answer() -> None:
    """Courtesies around a name are removed from the answer."""
    world = speak_all(make_courtyard(), "take the key", "east")
    asked = speak("take", world).turn

    expected = ({"type": "take", "target": "the chest"},)
    assert expected == complete_with_answer(asked, "the chest, please", world)
