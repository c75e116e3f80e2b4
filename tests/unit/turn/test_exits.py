import msgspec
import pytest

from saniwa.turn.exits import list_exits, render_exit, resolve_destination
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import AmbiguousReference, UnknownReference, get_reference_id
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("n", "orchard"),
        ("北", "orchard"),
        ("the Orchard", "orchard"),
        ("gate", "orchard"),
        ("the north gate", "orchard"),
        ("iron", "orchard"),
        ("shed", "shed"),
        ("bench", "bench"),
        ("here", "yard"),
        ("mars", "mars"),
    ],
)
def test_a_place_is_found_by_label_name_or_door(words: str, expected: str) -> None:
    """An exit is found by label, then by name, then by door; other words are returned."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    found = resolve_destination(words, spoken, make_courtyard())

    assert expected == get_reference_id(found)


def test_out_is_the_only_way_there_is() -> None:
    """With one exit, "out" needs no label; with two, it is a question."""
    sought = "out"
    spoken = SpokenWords(actor_id=ANNA, text="")

    assert AmbiguousReference((Id("cellar"), Id("hall"))) == resolve_destination(
        sought, spoken, make_pantry()
    )


def test_it_can_be_the_door_mentioned_last() -> None:
    """“it” can be the door mentioned last, and leads where the door leads."""
    spoken = SpokenWords(actor_id=PLAYER, text="", mentioned=(Id("key"), Id("gate")))

    assert Id("orchard") == resolve_destination("it", spoken, make_courtyard())


def test_in_and_out_use_the_door_mentioned_last() -> None:
    """Going in or out uses the door mentioned last."""
    sought = "in"
    spoken = SpokenWords(actor_id=ANNA, text="", mentioned=(Id("hall-door"),))

    assert Id("hall") == resolve_destination(sought, spoken, make_pantry())


def test_a_way_that_is_not_there_hints_at_those_that_are() -> None:
    """A missing direction gets a hint that lists the exits."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    found = resolve_destination("west", spoken, make_courtyard())

    assert UnknownReference(Id("west"), "ways out: north and east") == found


def test_a_way_behind_a_hidden_door_is_not_shown() -> None:
    """An exit behind a hidden door is not listed."""
    room, attic = Id("room"), Id("attic")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(
                id=Id("panel"), name="panel", kind="door", hidden=True,
                connects=(room, attic),
            ),
        ],
        [
            Location(id=room, name="Room", exits=(Exit(to=attic, door=Id("panel")),)),
            Location(id=attic, name="Attic"),
        ],
    )  # fmt: skip

    assert () == list_exits(world, PLAYER)


def test_ways_are_described_with_their_doors() -> None:
    """Each exit shows where it leads and whether its door is closed."""
    english = [render_exit(make_courtyard(), way) for way in list_exits(make_courtyard(), PLAYER)]
    japanese = [render_exit(make_house(), way) for way in list_exits(make_house(), HANA)]

    assert "north to the Orchard through the iron gate (closed)" == english[0]
    assert "北（果樹園、鉄の門・閉）" == japanese[0]


def test_a_pronoun_with_nothing_behind_it_leads_nowhere() -> None:
    """A pronoun without anything mentioned before is a question."""
    spoken = SpokenWords(actor_id=PLAYER, text="")

    assert AmbiguousReference() == resolve_destination("it", spoken, make_courtyard())


def test_several_items_of_a_name_are_no_places_either_way() -> None:
    """If several things match and no place does, one of them is passed on to be refused."""
    spoken = SpokenWords(actor_id=ANNA, text="")
    found = resolve_destination("copper coin", spoken, make_pantry())

    assert Id("coin-1") == found


def test_ways_without_a_label_are_hinted_at_by_their_place() -> None:
    """The hint names an exit without a label by its place."""
    spoken = SpokenWords(actor_id=ANNA, text="")
    found = resolve_destination("w", spoken, make_pantry())

    assert UnknownReference(Id("west"), "ways out: Great Hall and down") == found


def test_back_is_the_place_one_came_from() -> None:
    """“back” is the place left last, if an exit leads there; otherwise it is a question."""
    spoken = SpokenWords(actor_id=PLAYER, text="", came_from={PLAYER: Id("shed")})
    sought = "back"

    assert Id("shed") == resolve_destination(sought, spoken, make_courtyard())
    moon = msgspec.structs.replace(spoken, came_from={PLAYER: Id("moon")})
    assert isinstance(resolve_destination(sought, moon, make_courtyard()), AmbiguousReference)
    hana = SpokenWords(actor_id=HANA, text="", came_from={HANA: Id("小屋")})
    for words in ("後ろ", "さっきの部屋"):
        back = resolve_destination(words, hana, make_house())
        assert Id("小屋") == back


@pytest.mark.parametrize(
    ("words", "hint"),
    [("look at the shed", "you can go there: east to the Shed"), ("look at the moon", "")],
)
def test_a_look_at_an_adjacent_place_is_refused_with_directions(words: str, hint: str) -> None:
    """Looking at an adjacent place is refused with a hint on how to go there."""
    world = make_courtyard()
    played = speak(words, world)
    (verdict,) = played.turn.validation_results

    assert (False, hint) == (verdict.success, verdict.hint)
    assert world is played.world


def test_an_item_in_an_adjacent_place_is_refused_with_a_hint() -> None:
    """“Take the coin from the shed” is not done from here, and the answer says how to go there."""
    world = make_courtyard()
    played = speak("take the coin from the shed", world)
    (rejection,) = played.turn.rejections

    assert "you can go there: east to the Shed" == rejection.hint
    assert world is played.world
