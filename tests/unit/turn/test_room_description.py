from saniwa.turn.description import describe_room, list_inventory
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.turns import speak_all
from tests.fakes.worlds import PLAYER, make_courtyard


def test_a_room_is_described_with_items_people_and_ways() -> None:
    """A room is described by its name, its things and what is on them, people, and exits."""
    assert [
        "Yard",
        "You see a bench and an old well here. On the bench: a brass key. "
        "The groundskeeper is here.",
        "Ways out: north to the Orchard through the iron gate (closed) and east to the Shed.",
    ] == [line.text for line in describe_room(make_courtyard(), PLAYER)]


def test_a_room_is_described_in_japanese() -> None:
    """A Japanese room is described in Japanese, with its description."""
    assert [
        "庭",
        "静かな庭。",
        "井戸、古い机がある。古い机の上：本、真鍮の鍵。庭師がいる。",
        "出口：北（果樹園、鉄の門・閉）、東（小屋）。",
    ] == [line.text for line in describe_room(make_house(), HANA)]


def test_neither_hidden_items_nor_closed_insides_are_described() -> None:
    """Hidden things and the contents of closed containers are not described."""
    told = " ".join(
        line.text for line in describe_room(speak_all(make_courtyard(), "east"), PLAYER)
    )

    assert "an oak chest (closed)" in told
    assert "ring" not in told
    assert "coin" not in told


def test_hands_are_described_with_what_they_hold() -> None:
    """Empty hands are described as such, and a held bag with its contents."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("bag"), name="bag", kind="container", place=PLAYER),
            Entity(id=Id("shears"), name="shears", place=Id("bag")),
            Entity(id=Id("hourglass"), name="hourglass", place=PLAYER),
        ],
        [Location(id=room, name="Room")],
    )

    (empty,) = list_inventory(make_courtyard(), PLAYER)
    (full,) = list_inventory(world, PLAYER)
    assert "You are holding nothing." == empty.text
    expected = "You are holding a bag and an hourglass. In the bag: some shears."
    assert expected == full.text


def test_a_place_without_ways_and_a_person_off_stage_are_reported() -> None:
    """A room without exits, and a character in no room, are described as such."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("a"), name="Ada", kind="character", place=room),
            Entity(id=Id("b"), name="Bo", kind="character", place=room),
            Entity(id=Id("ghost"), name="ghost", kind="character"),
        ],
        [Location(id=room, name="Room")],
    )

    texts = [line.text for line in describe_room(world, PLAYER)]
    assert ["Room", "Ada and Bo are here.", "There is no way out."] == texts
    assert ["You are nowhere."] == [line.text for line in describe_room(world, Id("ghost"))]
