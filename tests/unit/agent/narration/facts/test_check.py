import time

import pytest

from saniwa.agent.narration.narrator import LONGEST_NARRATION, MOST_FLAGS, check_narration
from saniwa.turn.record import NarrationFlag
from saniwa.world.model import Id
from tests.fakes.japanese_house import make_house
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard


def _check_text(text: str, words: str = "wait", viewer: Id = PLAYER) -> tuple[NarrationFlag, ...]:
    before = make_courtyard()
    turn, after = speak(words, before)
    return check_narration(text, turn, before, after, viewer)


@pytest.mark.parametrize("text", ["Ждёт дракон.", "你等待。龙来了。", "용이 온다.", "زئير"])
def test_words_in_no_language_of_saniwa_are_flagged(text: str) -> None:
    """Text in another script is flagged."""
    assert "unknown" in {flag.kind for flag in _check_text(text)}


def test_english_in_a_japanese_world_is_flagged() -> None:
    """English in a Japanese world is flagged."""
    before = make_house()
    turn, after = speak("待つ", before)
    flags = check_narration("A moment passes.", turn, before, after, turn.actor_id)

    assert "unknown" in {flag.kind for flag in flags}


@pytest.mark.parametrize(
    "text",
    [
        'The key "shines" and you take the brass key.',
        'You open the gate, "at last".',
        'You "wait" and open the iron gate "now" with "it".',
        '"a" "b" "c" you give "the key" to the groundskeeper',
        'The groundskeeper says "go", and "leaves".',
    ],
)
def test_no_mark_of_saniwa_is_in_a_flag(text: str) -> None:
    """Internal placeholders for quotations are not in a flag."""
    flags = _check_text(text)

    assert flags
    for flag in flags:
        kept = flag.words + flag.message
        assert not any("\ue000" <= letter <= "\uf8ff" for letter in kept)
        assert "\\ue00" not in kept


def test_flags_are_few_and_short() -> None:
    """The number and the length of flags are limited."""
    flags = _check_text("A dragon, a wolf, a bear. " * 70)

    assert len(flags) <= MOST_FLAGS
    assert all(len(flag.words) <= 80 for flag in flags)


@pytest.mark.parametrize("text", ["x" * 10**6, "the " * 10**6, "鍵" * 10**6, "“" * 10**6])
def test_a_megabyte_is_not_even_read(text: str) -> None:
    """A very long text is flagged without being read."""
    begun = time.perf_counter()

    assert ["too long"] == [flag.kind for flag in _check_text(text)]
    assert time.perf_counter() - begun < 1


@pytest.mark.parametrize(
    "text", ["you take the key, ", "the old well ", "“a", "鍵を取った。", "(((", ", and "]
)
def test_the_longest_text_is_read_in_time(text: str) -> None:
    """The longest text that is read takes no noticeable time."""
    longest = (text * LONGEST_NARRATION)[:LONGEST_NARRATION]
    begun = time.perf_counter()
    _check_text(longest)

    assert time.perf_counter() - begun < 2


def test_another_viewer_learns_what_they_see() -> None:
    """To a bystander, an action is narrated in the third person only."""
    assert () == _check_text("Player takes the brass key.", "take the key", Id("keeper"))
    assert "contradiction" in {
        flag.kind for flag in _check_text("You take the brass key.", "take the key", Id("keeper"))
    }


def test_a_turn_that_is_not_described_is_flagged() -> None:
    """A narration that leaves out what happened is flagged."""
    assert ["this does not describe what happened"] == [
        flag.message for flag in _check_text("The old well is quiet.", "take the brass key")
    ]
    assert () == _check_text("The old well is quiet.", "wait")


@pytest.mark.parametrize(
    "text", ["here: Yard", "Things: bench", "What happened:\nYou wait.", "people: you"]
)
def test_the_question_is_no_answer(text: str) -> None:
    """Lines copied from the prompt are flagged."""
    assert "not of the story" in " ".join(flag.message for flag in _check_text(text))
