"""Crafts in words, by the shipped cooking book."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.turn.narration import narrate, render_action
from saniwa.turn.play import TurnOutcome, play_turn, reapply_turn
from saniwa.turn.preview import preview_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import Use
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import find_craft_verb
from tests.fakes.books import COOKING, STRICT, build_craft_book, make_craft
from tests.fakes.kitchen_world import make_kitchen
from tests.fakes.worlds import PLAYER

ANN = Id("ann")


def _make_world(language: str = "en", book: Rulebook = COOKING) -> World:
    return add_manners(make_kitchen(language), book)


def _parse_text(text: str, language: str = "en", book: Rulebook = COOKING) -> list[Any]:
    return [*parse(text, PLAYER, _make_world(language, book))]


def _say_text(text: str, world: World, actor: Id = PLAYER) -> TurnOutcome:
    words = SpokenWords(actor_id=actor, text=text)
    return play_turn(words, parse(text, actor, world), world, COOKING)


def _narrate_text(text: str, language: str = "en") -> list[str]:
    world = _make_world(language)
    turn, after = _say_text(text, world)
    return [line.text for line in narrate(turn, world, after)]


def _make_use_claim(manner: str, target: str, tool: str = "") -> dict[str, Any]:
    named = {"target": target} | ({"tool": tool} if tool else {})
    return {"type": "use", "manner": manner} | named


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("slice the carrot with the knife", [_make_use_claim("slice", "the carrot", "the knife")]),
        ("Slices carrot using knife!", [_make_use_claim("slice", "carrot", "knife")]),
        ("cook the carrot on the stove", [_make_use_claim("cook", "the carrot", "the stove")]),
        ("fry the carrot", [_make_use_claim("cook", "the carrot")]),
        ("prepare the soup", [_make_use_claim("prepare", "the soup")]),
        ("use the knife to dice it", [_make_use_claim("dice", "it", "the knife")]),
        ("cook", [{"type": "use", "manner": "cook"}]),
        (
            "chop up the carrot with my knife, then cook it on the stove",
            [
                _make_use_claim("chop", "the carrot", "my knife"),
                _make_use_claim("cook", "it", "the stove"),
            ],
        ),
        (
            "slice the carrot and the leek with the knife",
            [
                _make_use_claim("slice", "the carrot", "the knife"),
                _make_use_claim("slice", "the leek", "the knife"),
            ],
        ),
    ],
)
def test_english_asks_for_a_craft_by_its_verbs(text: str, claims: list[Any]) -> None:
    """The tool follows "with", or a preposition of place."""
    assert claims == _parse_text(text)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("にんじんをナイフで切る", [_make_use_claim("slice", "にんじん", "ナイフ")]),
        ("ナイフでにんじんをさいの目に切って", [_make_use_claim("dice", "にんじん", "ナイフ")]),
        ("にんじんをコンロで焼いてください", [_make_use_claim("cook", "にんじん", "コンロ")]),
        ("ナイフを使ってにんじんを刻む", [_make_use_claim("chop", "にんじん", "ナイフ")]),
        ("スープを作る", [_make_use_claim("prepare", "スープ")]),
        ("焼く", [{"type": "use", "manner": "cook"}]),
        (
            "にんじんを切って、コンロで焼く",
            [_make_use_claim("slice", "にんじん"), _make_use_claim("cook", "それ", "コンロ")],
        ),
    ],
)
def test_japanese_asks_for_a_craft_by_its_verbs(text: str, claims: list[Any]) -> None:
    """Any form of the verb works; で marks the tool."""
    assert claims == _parse_text(text, "ja")


def test_a_verb_is_known_only_where_the_book_teaches_it() -> None:
    """A craft's verb is known only if the book has the craft."""
    assert ["unrecognised"] == [c["type"] for c in _parse_text("slice it", book=STRICT)]
    assert [{"type": "use", "target": "it"}] == _parse_text("cook it", book=STRICT)


def test_a_craft_without_words_answers_to_its_name_in_english() -> None:
    """A craft without words is known by its name in English."""
    book = build_craft_book(make_craft("polish"))

    assert [_make_use_claim("polish", "the stove")] == _parse_text("polish the stove", book=book)
    assert "polish" == find_craft_verb(_make_world("ja", book), "polish")


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("en", "slice carrot with knife", ["You slice the carrot with the knife."]),
        (
            "en",
            "take the leek and prepare the salad",
            ["You take the leek.", "You prepare the salad."],
        ),
        ("en", "cook", ["What do you want to cook?"]),
        ("en", "slice the carrot", ["You have to say what with."]),
        ("ja", "にんじんをナイフで刻む", ["にんじんをナイフで刻んだ。"]),
        ("ja", "焼く", ["何を焼くのですか。"]),
    ],
)
def test_what_happened_is_described_in_the_crafts_own_verb(
    language: str, text: str, told: list[str]
) -> None:
    """The narration uses the craft's verb, with the names of everything involved."""
    assert told == _narrate_text(text, language)


def test_other_viewers_learn_who_did_it() -> None:
    """Other characters read who did it."""
    world = _make_world()
    turn, after = _say_text("take the leek, then cook it on the stove", world, ANN)

    assert ["Ann takes the leek.", "Ann cooks the leek with the stove."] == [
        line.text for line in narrate(turn, world, after, PLAYER)
    ]


def test_a_book_may_tell_it_in_its_own_words() -> None:
    """A craft's own narration has the names filled in, and no other placeholder."""
    told = {"en": "{target} gleams under {tool}. {target.__class__}"}
    manners = (replace(_make_world().manners[0], name="slice", told=told),)
    world = replace(_make_world(), manners=manners)
    action = Use(actor_id=PLAYER, target_id=Id("carrot"), tool_id=Id("knife"), manner="slice")
    words = SpokenWords(actor_id=PLAYER, text="")
    turn, after = play_turn(words, [msgspec.to_builtins(action)], world, COOKING)

    assert ["The carrot gleams under the knife. {target.__class__}"] == [
        line.text for line in narrate(turn, world, after)
    ]


def test_what_could_be_done_is_reported_too() -> None:
    """Lists of actions, hints and previews use the craft's verb."""
    fry = Use(actor_id=PLAYER, target_id=Id("carrot"), tool_id=Id("stove"), manner="cook")

    assert "cook the carrot with the stove" == render_action(fry, _make_world())
    assert "にんじんをコンロで焼く" == render_action(fry, _make_world("ja"))
    words = SpokenWords(actor_id=PLAYER, text="")
    planned = preview_turn(
        words, _parse_text("cook the carrot on the stove"), _make_world(), COOKING
    )
    assert ("You would cook the carrot with the stove.",) == planned.sentences


def test_a_recorded_craft_is_applied_again_at_its_word() -> None:
    """The effects of a recorded craft are in its verdict, so reapplying it needs no book."""
    world = _make_world()
    turn, after = _say_text(
        "slice the carrot with the knife, take the leek and prepare the salad", world
    )
    kept = msgspec.json.decode(msgspec.json.encode(turn), type=Turn)

    assert ["slice", "take", "prepare"] == [v.check for v in kept.validation_results]
    assert compute_fingerprint(after) == compute_fingerprint(reapply_turn(kept, make_kitchen()))
    assert {"sliced", "raw"} <= after.entities[Id("carrot")].attributes.keys()
    assert after.entities[Id("carrot")].place is None
    assert PLAYER == after.entities[Id("salad")].place


def test_a_key_is_no_tool_of_a_craft_by_itself() -> None:
    """A craft without its tool does not take a key in its place."""
    claims = [_make_use_claim("slice", "carrot", "stove")]
    turn = play_turn(SpokenWords(actor_id=PLAYER, text="x"), claims, _make_world(), COOKING).turn

    assert ["slice.tool_held"] == [v.check for v in turn.validation_results]
