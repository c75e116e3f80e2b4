import pytest

from saniwa.agent.narration.narrator import check_narration
from saniwa.turn.record import NarrationFlag
from saniwa.world.model import Id, World
from tests.fakes.japanese_house import make_house
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard


def _find_flags(
    text: str, words: str, before: World | None = None, viewer: Id | None = None
) -> tuple[NarrationFlag, ...]:
    before = before or make_courtyard()
    turn, after = speak(words, before)
    return check_narration(text, turn, before, after, viewer or turn.actor_id)


def test_a_flag_says_which_words_are_based_on_nothing() -> None:
    """A flag has the words that nothing in the turn supports."""
    (flag,) = _find_flags("You wait. A delicious dragon lands.", "wait")

    assert ("unknown", "a delicious dragon lands") == (flag.kind, flag.words)
    assert "'delicious dragon lands'" in flag.message


def test_known_words_put_together_wrongly_are_a_contradiction() -> None:
    """Known words in a false combination are a contradiction."""
    (flag,) = _find_flags("The groundskeeper takes the brass key.", "take the brass key")

    assert "contradiction" == flag.kind


def test_the_subject_continues_after_and() -> None:
    """The subject continues after "and", and the action applies to all things listed."""
    assert _find_flags("The groundskeeper watches and takes the brass key.", "take the key")
    assert _find_flags("You take the brass key and the bench.", "take the key")
    assert () == _find_flags("You reach out and take the brass key.", "take the key")


def test_it_is_what_was_named_last() -> None:
    """“It” is the thing named last."""
    assert () == _find_flags("You take the brass key. It is in your hand.", "take the key")
    assert _find_flags("You take the brass key. It is on the bench.", "take the key")


def test_what_was_undone_is_not_described_as_lasting() -> None:
    """A state that was undone in the same turn may not be narrated as lasting."""
    words = "go east, open the chest and close the chest"

    assert _find_flags("The oak chest is open.", words)
    assert () == _find_flags("You open the oak chest and close it.", words)


def test_what_people_say_need_not_be_so() -> None:
    """Spoken words may be quoted, but do not support a statement outside quotation marks."""
    words = 'say "The gate is open."'

    assert () == _find_flags('You say, "The gate is open."', words)
    assert _find_flags("You speak. The gate is open.", words)


def test_a_quotation_must_have_its_own_speaker() -> None:
    """A quotation must have its own speaker."""
    assert _find_flags('"Good morning," says the groundskeeper.', 'say "Good morning"')
    assert _find_flags('The groundskeeper: "Good morning"', 'say "Good morning"')


@pytest.mark.parametrize("text", ["You could open the gate.", "You do not fail to open the gate."])
def test_a_refusal_is_denied_once_and_plainly(text: str) -> None:
    """A refusal must be narrated as a plain single negation."""
    assert _find_flags(text, "open the gate")


def test_a_watcher_learns_the_actor() -> None:
    """To a bystander the action is narrated by name, not as their own."""
    keeper = Id("keeper")

    assert () == _find_flags("Player picks up the brass key.", "take the key", viewer=keeper)
    assert _find_flags("You pick up the brass key.", "take the key", viewer=keeper)
    assert PLAYER == speak("take the key", make_courtyard()).turn.actor_id


def test_japanese_is_read_by_the_longest_word() -> None:
    """Japanese is read by the longest words, and unread text and negations are flagged."""
    assert () == _find_flags("古い机から本を拾い上げた。", "本を取る", make_house())
    assert _find_flags("本を拾い上げなかった。", "本を取る", make_house())
    assert _find_flags("本をねじった。", "本を取る", make_house())


def test_a_lock_is_no_key() -> None:
    """鍵がかかっている is about the gate, not about a key."""
    assert () == _find_flags("門には鍵がかかっている。", "門を開ける", make_house())
    assert _find_flags("門の鍵が開いた。", "門を開ける", make_house())


@pytest.mark.parametrize("left_over", ["れ", "け", "ど", "つ", "ぬ", "ゑ"])
def test_no_letter_is_passed_over(left_over: str) -> None:
    """Kana that are not part of a known word are flagged."""
    assert _find_flags(f"本を取った{left_over}。", "本を取る", make_house())
