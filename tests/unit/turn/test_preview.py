import msgspec

from saniwa.language.parse import parse
from saniwa.turn.preview import preview_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import World
from saniwa.world.snapshot import take_snapshot
from tests.fakes.pantry import pantry
from tests.fakes.rooms_ja import house
from tests.fakes.turns import DEFAULT, speak, world_after
from tests.fakes.worlds import PLAYER, garden


def _sentences(text: str, world: World) -> list[str]:
    actor = world.protagonist or PLAYER
    words = SpokenWords(actor_id=actor, text=text)
    return [*preview_turn(words, parse(text, actor, world), world, DEFAULT).sentences]


def test_a_preview_says_what_would_happen() -> None:
    """One sentence for each claim, each against the world the last would leave."""
    text = "take the key, open the gate, take the well"
    refused = speak(text, garden()).turn.validation_results[-1].message

    assert [
        "You would take the brass key.",
        "You would open the iron gate.",
        f"You would try to take the old well. {refused}",
    ] == _sentences(text, garden())


def test_a_preview_says_what_would_not() -> None:
    """Questions, words without meaning and silence are told as such."""
    assert ["You would be asked: Which do you mean by “a coin”?"] == _sentences(
        "take a coin", pantry()
    )
    assert ["Nothing would happen: I do not understand “xyzzy”."] == _sentences("xyzzy", garden())
    assert ["何も起こらない。「ほげ」の意味がわかりません。"] == _sentences("ほげ", house())


def test_a_preview_changes_nothing_and_is_the_turn_itself() -> None:
    """The preview's turn is the turn that would be played; the world stays."""
    world = garden()
    before = msgspec.json.encode(take_snapshot(world))
    words = SpokenWords(actor_id=PLAYER, text="take key")
    shown = preview_turn(words, parse("take key", PLAYER, world), world, DEFAULT)

    assert speak("take key", world).turn == shown.turn
    assert before == msgspec.json.encode(take_snapshot(world))


def test_no_claims_are_nothing() -> None:
    """A turn without claims is told as nothing happening."""
    words = SpokenWords(actor_id=PLAYER, text="hm")

    assert ("Nothing would happen.",) == preview_turn(words, [], garden(), DEFAULT).sentences


def test_a_preview_knows_no_more_than_the_speaker() -> None:
    """What is not in reach is called by the speaker's words, whatever its name is."""
    unseen = "You see no such thing here."
    assert [f"You would try to take the ring. {unseen}"] == _sentences("take the ring", garden())
    assert [f"You would try to take ring. {unseen}".replace("ring", "the coin")] == (
        _sentences("take coin", garden())
    )
    away = world_after(garden(), "take key", "east", "drop key", "west")
    assert [f"You would try to use the key on the iron gate. {unseen}"] == _sentences(
        "use key on gate", away
    )
