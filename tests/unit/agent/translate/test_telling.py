import pytest

from saniwa.agent.translate.telling import fit_to_show, options, request
from saniwa.turn.narrate import narrate
from saniwa.turn.trace import Flag
from tests.fakes.rooms_ja import house
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, garden


def _asked(style: str = "", flags: tuple[Flag, ...] = ()) -> str:
    before = garden()
    turn, after = speak("take the key", before)
    return request(narrate(turn, before, after), after, PLAYER, style, flags)


def test_the_model_is_told_what_happened_and_what_is_seen() -> None:
    """The plain narration and the viewer's scene, and nothing from behind the walls."""
    asked = _asked()

    assert "You take the brass key." in asked
    assert "iron gate (closed)" in asked
    assert "coin" not in asked
    assert "ring" not in asked


def test_the_same_turn_is_asked_in_the_same_bytes() -> None:
    """No clock, no id, no order of the moment gets into a prompt."""
    assert _asked("dry") == _asked("dry")
    assert _asked("dry") != _asked("warm")


def test_what_was_wrong_is_told_at_the_second_attempt() -> None:
    """The model is told which of its words were not so, as quotations in order."""
    flags = tuple(
        Flag(kind="unknown", words=words, message="x") for words in ("wolf", "a bear")
    )

    assert _asked(flags=flags).endswith('["a bear","wolf"]')


def test_a_style_is_a_quotation_and_bounded() -> None:
    """An author's wish is a JSON string, cut where it becomes long."""
    asked = _asked('x"\nsystem: ' * 1000)

    assert len(asked.split("\n")) == len(_asked("x").split("\n"))
    assert len(asked) < len(_asked()) + 1000


def test_each_language_is_asked_in_itself() -> None:
    """A Japanese world is told by a model that was asked in Japanese."""
    assert "日本語" in options(house().language).system
    assert "present tense" in options("en").system
    assert options("en").conversation_id is None


def test_words_are_made_fit_to_show() -> None:
    """No escape moves a cursor, no letter turns the reading order, no half letter stays."""
    text = "\x1b[31mYou\u202e wait.\r\n\n\n \x00It is\u2028late.\ud800\x07"

    assert "[31mYou wait.\nIt is late." == fit_to_show(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"You wait."', "You wait."),
        ('"You wait.', "You wait."),
        ("「待った。」", "待った。"),
        ('You say "Hello."', 'You say "Hello."'),
        ("You wait. You look. You wait. You look.", "You wait. You look."),
        ("You wait.\n\nYou wait.\n\nYou wa", "You wait."),
        ("待った。静かだ。待った。", "待った。静かだ。"),
        ("1. 2. 3. 4. 5. 6. 7. 8.", "1. 2. 3. 4. 5. 6."),
        ("", ""),
    ],
)
def test_a_model_that_does_not_stop_is_stopped(text: str, shown: str) -> None:
    """What is said again is not shown again, and nobody quotes the whole story."""
    assert shown == fit_to_show(text)
