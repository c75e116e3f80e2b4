import msgspec

from saniwa.language.parse import parse
from saniwa.turn.preview import preview_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import World
from saniwa.world.snapshot import take_snapshot
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import make_pantry
from tests.fakes.turns import DEFAULT, speak, speak_all
from tests.fakes.worlds import PLAYER, make_courtyard


def _preview_text(text: str, world: World) -> list[str]:
    actor = world.protagonist or PLAYER
    words = SpokenWords(actor_id=actor, text=text)
    return [*preview_turn(words, parse(text, actor, world), world, DEFAULT).sentences]


def test_a_preview_says_what_would_happen() -> None:
    """A preview has one sentence for each claim, each in the world after the previous one."""
    text = "take the key, open the gate, take the well"
    refused = speak(text, make_courtyard()).turn.validation_results[-1].message

    assert [
        "You would take the brass key.",
        "You would open the iron gate.",
        f"You would try to take the old well. {refused}",
    ] == _preview_text(text, make_courtyard())


def test_a_preview_says_what_would_not() -> None:
    """A preview describes questions, words that are not understood, and empty words."""
    assert ["You would be asked: Which do you mean by “a coin”?"] == _preview_text(
        "take a coin", make_pantry()
    )
    assert ["Nothing would happen: I do not understand “xyzzy”."] == _preview_text(
        "xyzzy", make_courtyard()
    )
    assert ["何も起こらない。「ほげ」の意味がわかりません。"] == _preview_text("ほげ", make_house())


def test_a_preview_changes_nothing_and_is_the_turn_itself() -> None:
    """A preview's turn is the turn that would be played, and the world does not change."""
    world = make_courtyard()
    before = msgspec.json.encode(take_snapshot(world))
    words = SpokenWords(actor_id=PLAYER, text="take key")
    shown = preview_turn(words, parse("take key", PLAYER, world), world, DEFAULT)

    assert speak("take key", world).turn == shown.turn
    assert before == msgspec.json.encode(take_snapshot(world))


def test_no_claims_are_nothing() -> None:
    """A preview of no claims says that nothing would happen."""
    words = SpokenWords(actor_id=PLAYER, text="hm")

    assert ("Nothing would happen.",) == preview_turn(
        words, [], make_courtyard(), DEFAULT
    ).sentences


def test_a_preview_knows_no_more_than_the_speaker() -> None:
    """A preview names a thing out of reach in the speaker's words."""
    unseen = "You see no such thing here."
    assert [f"You would try to take the ring. {unseen}"] == _preview_text(
        "take the ring", make_courtyard()
    )
    assert [f"You would try to take ring. {unseen}".replace("ring", "the coin")] == (
        _preview_text("take coin", make_courtyard())
    )
    away = speak_all(make_courtyard(), "take key", "east", "drop key", "west")
    assert [f"You would try to use the key on the iron gate. {unseen}"] == _preview_text(
        "use key on gate", away
    )
