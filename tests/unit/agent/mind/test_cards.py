import pytest

from saniwa.agent.mind.mind import GuidanceCard
from saniwa.agent.mind.perception import MOST_CARDS, build_cards
from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import Entity, Id
from tests.fakes.playroom_world import SALLY, follow, make_playroom
from tests.fakes.turns import speak


def test_a_refusal_says_what_was_tried_and_why_not() -> None:
    """A card has the refused action in words and the rulebook's reason."""
    world = make_playroom()
    turn, _ = speak("take the shelf", world)
    (card,) = build_cards(turn, world)

    assert "take the shelf" == card.asked
    assert turn.validation_results[0].message == card.why


def test_a_deed_that_came_true_is_no_card() -> None:
    """Only refused actions get a card."""
    world = make_playroom()
    turn, _ = speak("take the marble. take the shelf", world)

    assert ["take the shelf"] == [card.asked for card in build_cards(turn, world)]


def test_what_is_not_seen_is_called_by_the_speakers_words() -> None:
    """A card for a hidden thing uses the speaker's words."""
    world = make_playroom()
    turn, _ = speak("take the gold ring", world)
    (card,) = build_cards(turn, world)

    assert "take the gold ring" == card.asked


def test_a_hidden_entity_claimed_by_id_is_not_named() -> None:
    """A card for a hidden thing claimed by id does not name it."""
    world = make_playroom()
    claim = {"type": "take", "targetId": "ring"}
    words = SpokenWords(actor_id=SALLY, text="…")
    turn, _ = play_turn(words, [claim], world, read_rulebook(load_shipped_book("default")))
    (card,) = build_cards(turn, world)

    assert "" == card.asked
    assert "gold ring" not in card.why


def test_words_that_are_not_understood_come_back_with_a_hint() -> None:
    """Words that were not understood get a card with a hint."""
    world = make_playroom()
    turn, _ = speak("frobnicate the shelf", world)
    (card,) = build_cards(turn, world)

    assert turn.rejections[0].message == card.why
    assert turn.rejections[0].hint == card.hint


def test_a_question_back_has_its_options() -> None:
    """A question gets a card with its options."""
    twin = Entity(id=Id("marble2"), name="stone marble", takeable=True, place=Id("room"))
    world = make_playroom("en", twin)
    turn, _ = speak("take the marble", world)
    question = turn.clarification
    assert question is not None

    assert (
        GuidanceCard(
            asked="the marble",
            why=question.question,
            options=tuple(option.label for option in question.options),
        ),
    ) == build_cards(turn, world)


@pytest.mark.parametrize("count", [1, 50])
def test_cards_are_few_and_none_is_repeated(count: int) -> None:
    """The number of cards is limited, and equal ones are dropped."""
    world = make_playroom()
    same, _ = speak("take the shelf. " * 5, world)
    claims = [{"type": "take", "target": f"toy {n}"} for n in range(count)]
    words = SpokenWords(actor_id=SALLY, text="…")
    many, _ = play_turn(words, claims, world, read_rulebook(load_shipped_book("default")))

    assert 1 == len(build_cards(same, world))
    assert min(count, MOST_CARDS) == len(build_cards(many, world))


def test_a_question_back_is_no_memory() -> None:
    """A question is not remembered, because nothing was tried."""
    twin = Entity(id=Id("m2"), name="stone marble", takeable=True, place=Id("room"))
    asked, _ = follow(make_playroom("en", twin), SALLY, ("sally", "take the marble"))

    assert 1 == len(asked.guidance)
    assert () == asked.memories
