from msgspec.structs import replace

from saniwa.agent.narration.narration_facts import NarrationFacts
from saniwa.agent.narration.tokens import ParsedNarration, detect_script, parse_narration
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Id, World
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.turns import speak
from tests.fakes.worlds import make_courtyard


def _parse_text(text: str, before: World, words: str) -> ParsedNarration:
    turn, after = speak(words, before)
    return parse_narration(text, NarrationFacts(turn, before, after, turn.actor_id))


def _list_names(text: str, before: World, words: str) -> list[str]:
    return [mention.name for mention in _parse_text(text, before, words).mentions]


def test_the_longest_name_is_found() -> None:
    """The longest name is found: a brass key is not a key, and 鍵の束 is not a 鍵."""
    assert ["brass key"] == _list_names("The brass key.", make_courtyard(), "wait")
    assert ["鍵の束"] == _list_names("鍵の束がある。", make_house(), "待つ")


def test_names_inside_words_are_none() -> None:
    """A name inside another word is not found."""
    assert [] == _list_names("A monkey at the keyhole, a wells.", make_courtyard(), "wait")
    assert [] == _list_names("本当に静かだ。", make_house(), "待つ")


def test_quotations_are_lifted_out() -> None:
    """Quotations are separated from the narrator's text."""
    apart = _parse_text('You say "The gold ring." Then you wait.', make_courtyard(), "wait")

    assert ("The gold ring.",) == apart.quotes
    assert () == apart.mentions


def test_every_letter_has_a_script() -> None:
    """Each character has a script: Latin, kana, katakana, kanji, another, or none."""
    scripts = [detect_script(letter) for letter in "aéのノ鍵ж。"]

    assert ["latin", "latin", "kana", "katakana", "kanji", "other", ""] == scripts


def test_the_viewer_knows_what_they_perceive() -> None:
    """A viewer knows what is visible now or was in this turn."""
    before = make_house()
    turn, after = speak("本を取る", before)
    known = NarrationFacts(turn, before, after, HANA)

    assert {
        "花",
        "庭師",
        "机",
        "鍵",
        "本",
        "門",
        "井戸",
        "庭",
        "果樹園",
        "小屋",
    } == known.perceived_ids


def test_a_way_behind_a_hidden_door_is_not_known() -> None:
    """The place behind a hidden door is not known."""
    before = make_house()
    gate = replace(before.entities[Id("門")], hidden=True)
    entities = [gate if e.id == gate.id else e for e in before.entities.values()]
    hidden = build_world(entities, list(before.locations.values()), protagonist=HANA, language="ja")
    turn, after = speak("待つ", hidden)

    assert "果樹園" not in NarrationFacts(turn, hidden, after, HANA).perceived_ids
