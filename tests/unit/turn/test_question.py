from saniwa.turn.question import ask_for, ask_which, empty_question
from saniwa.turn.trace import Words
from saniwa.world.canonical import build
from saniwa.world.model import Entity, Id, Location
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


def test_labels_say_who_holds_what_and_what_is_in_what() -> None:
    """Equal names are told apart by hands, containers and supporters."""
    room = Id("room")
    names = {"a": ANNA, "b": Id("bert"), "c": Id("box"), "d": Id("table"), "e": room,
             "f": room}  # fmt: skip
    world = build(
        [
            Entity(id=ANNA, name="Anna", kind="character", place=room),
            Entity(id=Id("bert"), name="Bert", kind="character", place=room),
            Entity(id=Id("box"), name="box", kind="container", place=room),
            Entity(id=Id("table"), name="table", kind="supporter", place=room),
            *(Entity(id=Id(i), name="pin", place=at) for i, at in names.items()),
        ],
        [Location(id=room, name="Room")],
    )
    asked = ask_which("inspect", "target_id", "pin", map(Id, names), SPOKEN, world)

    assert [
        "pin (you hold it)",
        "pin (held by Bert)",
        "pin (in box)",
        "pin (on table)",
        "pin (here) #1",
        "pin (here) #2",
    ] == [option.label for option in asked.options]


def test_a_tool_that_is_missing_is_asked_about_plainly() -> None:
    """Roles without a question of their own get the general one."""
    asked = ask_for("take", "source_id", "", SPOKEN, pantry())

    assert "What about it?" == asked.question
