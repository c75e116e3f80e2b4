from saniwa.scenario.loader import load_scenario
from saniwa.turn.clarification import (
    ask_for_role,
    ask_for_words,
    ask_which,
    complete_with_answer,
    find_only_candidate,
)
from saniwa.turn.record import Clarification, SpokenWords
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard

SPOKEN = SpokenWords(actor_id=ANNA, text="")


def test_items_of_one_name_are_distinguished_by_where_they_are() -> None:
    """Options with equal names show where they are, and are sorted by id."""
    ids = (Id("coin-2"), Id("coin-1"))
    asked = ask_which("take", "target_id", "coin", ids, SPOKEN, make_pantry())

    assert ["copper coin (here)", "copper coin (on shelf)"] == [
        option.label for option in asked.options
    ]
    assert "Which do you mean by “coin”?" == asked.question


def test_what_is_missing_is_asked_for_with_what_would_do() -> None:
    """A missing recipient offers the people present, a missing tool the things held."""
    world = make_pantry()

    assert ["bert", "carla"] == [
        o.id for o in ask_for_role("give", "recipient_id", "", SPOKEN, world).options
    ]
    assert ["apple", "cellar-key", "hall-key"] == [
        o.id for o in ask_for_role("use", "tool_id", "", SPOKEN, world).options
    ]
    assert () == ask_for_role("speak", "content", "", SPOKEN, world).options


def test_questions_name_the_wire_field() -> None:
    """A question names the field that its answer fills."""
    world = make_pantry()

    assert "targetId" == ask_for_role("take", "target_id", "", SPOKEN, world).field
    assert "content" == ask_for_role("speak", "content", "", SPOKEN, world).field


def test_questions_are_asked_in_the_language_of_the_world() -> None:
    """A question is in the world's language."""
    assert "どうしますか。" == ask_for_words(make_house()).question
    assert "What do you do?" == ask_for_words(make_pantry()).question


def test_labels_say_who_holds_what_and_what_is_in_what() -> None:
    """Options with equal names show their holder, container or supporter."""
    room = Id("room")
    names = {"a": ANNA, "b": Id("bert"), "c": Id("box"), "d": Id("table"), "e": room,
             "f": room}  # fmt: skip
    world = build_world(
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
    """A role without its own question gets the general one."""
    asked = ask_for_role("take", "source_id", "", SPOKEN, make_pantry())

    assert "What about it?" == asked.question


def test_ways_are_offered_without_the_state_of_their_doors() -> None:
    """Options for exits do not show whether doors are open."""
    asked = ask_for_role("move", "target_id", "", SPOKEN, make_pantry())
    assert [] == [o.label for o in asked.options if "open" in o.label or "clos" in o.label]
    player = SpokenWords(actor_id=PLAYER, text="")
    labels = [
        o.label for o in ask_for_role("move", "target_id", "", player, make_courtyard()).options
    ]
    assert "north to the Orchard through the iron gate" in labels
    hana = SpokenWords(actor_id=HANA, text="")
    labels = [o.label for o in ask_for_role("move", "target_id", "", hana, make_house()).options]
    assert "北（果樹園、鉄の門）" in labels


def test_the_only_item_that_will_do_is_meant() -> None:
    """A role with a single candidate is filled in; with several, or for looking, it is asked."""
    player = SpokenWords(actor_id=PLAYER, text="")
    world = make_courtyard()

    assert "gate" == find_only_candidate("unlock", "target_id", player, world)
    assert "key" == find_only_candidate("take", "target_id", player, world)
    assert "keeper" == find_only_candidate("give", "recipient_id", player, world)
    assert find_only_candidate("drop", "target_id", player, world) is None
    assert find_only_candidate("inspect", "target_id", player, world) is None
    assert find_only_candidate("give", "recipient_id", SPOKEN, make_pantry()) is None


def test_options_of_one_name_and_place_are_distinguished_by_what_is_said_of_them() -> None:
    """Options with the same name and place show descriptions, directions or numbers."""
    world = load_scenario(
        {
            "name": "hall",
            "locations": {
                "hall": {"exits": {"north": {"to": "den", "door": "d1"}, "up": "loft"}},
                "den": {"exits": ["hall"]},
                "loft": {"exits": [{"to": "hall", "door": "d2"}]},
            },
            "props": {
                "k1": {"name": "key", "location": "hall", "description": "A red key."},
                "k2": {"name": "key", "location": "hall", "description": "A blue key."},
                "k3": {"name": "key", "location": "hall"},
                "k4": {"name": "key", "location": "hall"},
                "d1": {"name": "door", "kind": "door"},
                "d2": {"name": "door", "kind": "door"},
            },
            "characters": {"you": {"location": "hall"}},
        }
    ).world
    keys, doors = speak("take key", world).turn, speak("open door", world).turn

    assert [
        "key (here) – A red key.",
        "key (here) – A blue key.",
        "key (here) #1",
        "key (here) #2",
    ] == _list_labels(keys.clarification)
    assert ["door (here) – north", "door (here) – up"] == _list_labels(doors.clarification)
    blue = complete_with_answer(keys, "the blue one", world)
    assert ({"type": "take", "targetId": "k2"},) == blue


def test_ways_to_places_of_one_name_are_distinguished() -> None:
    """Two exits to rooms of the same name have numbers."""
    world = load_scenario(
        {
            "name": "jail",
            "locations": {
                "hall": {"exits": ["r1", "r2"]},
                "r1": {"name": "cell", "exits": ["hall"]},
                "r2": {"name": "cell", "exits": ["hall"]},
            },
            "characters": {"you": {"location": "hall"}},
        }
    ).world
    words = SpokenWords(actor_id=Id("you"), text="go")
    labels = _list_labels(ask_for_role("move", "target_id", "", words, world))

    assert 2 == len(set(labels)), labels


def _list_labels(asked: Clarification | None) -> list[str]:
    return [option.label for option in asked.options] if asked is not None else []
