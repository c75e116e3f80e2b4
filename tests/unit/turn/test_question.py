from saniwa.turn.question import ask_for, ask_which, empty_question
from saniwa.turn.trace import Words
from saniwa.world.model import Id
from tests.fakes.pantry import ANNA, pantry
from tests.fakes.rooms_ja import house

SPOKEN = Words(actor_id=ANNA, text="")


def test_things_of_one_name_are_told_apart_by_where_they_are() -> None:
    """Equal names get their whereabouts; options come by id."""
    ids = (Id("coin-2"), Id("coin-1"))
    asked = ask_which("take", "target_id", "coin", ids, SPOKEN, pantry())

    assert ["copper coin (here)", "copper coin (on shelf)"] == [
        option.label for option in asked.options
    ]
    assert "Which do you mean by “coin”?" == asked.question


def test_things_that_cannot_be_told_apart_are_numbered() -> None:
    """Two of a name in one place still get two labels."""
    world = pantry()
    ids = (Id("bread"), Id("butter"), Id("coin-1"))
    asked = ask_which("take", "target_id", "x", (*ids, Id("coin-1")), SPOKEN, world)

    assert 3 == len({option.label for option in asked.options})


def test_what_is_missing_is_asked_for_with_what_would_do() -> None:
    """A missing recipient offers the people here, a missing tool what is held."""
    world = pantry()

    assert ["bert", "carla"] == [
        o.id for o in ask_for("give", "recipient_id", "", SPOKEN, world).options
    ]
    assert ["apple", "cellar-key", "hall-key"] == [
        o.id for o in ask_for("use", "tool_id", "", SPOKEN, world).options
    ]
    assert () == ask_for("speak", "content", "", SPOKEN, world).options


def test_questions_name_the_wire_field() -> None:
    """A machine can tell which field the answer fills."""
    world = pantry()

    assert "targetId" == ask_for("take", "target_id", "", SPOKEN, world).field
    assert "content" == ask_for("speak", "content", "", SPOKEN, world).field


def test_questions_are_asked_in_the_language_of_the_world() -> None:
    """The world's people are asked in their own words."""
    assert "どうしますか。" == empty_question(house()).question
    assert "What do you do?" == empty_question(pantry()).question


def test_holders_are_named_in_labels() -> None:
    """Things in hands and containers say whose and which."""
    world = pantry()
    ids = (Id("apple"), Id("apple"))
    asked = ask_which("drop", "target_id", "apple", ids, SPOKEN, world)

    assert ["red apple"] == [option.label for option in asked.options]
