import pytest

from saniwa.turn.record import SpokenWords
from saniwa.turn.references import (
    AmbiguousReference,
    UnknownReference,
    get_reference_id,
    resolve_reference,
)
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.worlds import PLAYER, make_courtyard


def _refer(
    words: str, action: str, role: str = "target_id", mentioned: tuple[str, ...] = ()
) -> object:
    spoken = SpokenWords(actor_id=ANNA, text="", mentioned=tuple(map(Id, mentioned)))
    found = resolve_reference(words, action, role, spoken, make_pantry())
    return found.ids if isinstance(found, AmbiguousReference) else get_reference_id(found)


@pytest.mark.parametrize(
    ("words", "action", "role", "expected"),
    [
        ("apple", "take", "target_id", "apple-2"),
        ("apple", "drop", "target_id", "apple"),
        ("my apple", "inspect", "target_id", "apple"),
        ("apple", "inspect", "target_id", ("apple", "apple-2")),
        ("door", "open", "target_id", ("cellar-door", "hall-door")),
        ("copper coin", "take", "target_id", ("coin-1", "coin-2")),
        ("second copper coin", "take", "target_id", "coin-2"),
        ("copper coin 9", "take", "target_id", ("coin-1", "coin-2")),
        ("hall", "use", "tool_id", "hall-key"),
        ("me", "inspect", "target_id", "anna"),
        ("here", "search", "target_id", "pantry"),
        ("apple on the shelf", "inspect", "target_id", "apple-2"),
        ("coin on the shelf", "inspect", "target_id", "coin-2"),
        ("Great Hall", "inspect", "target_id", "hall"),
        ("unicorn", "take", "target_id", "unicorn"),
        ("the unicorn", "take", "target_id", "unicorn"),
    ],
)
def test_preferences_settle_what_they_can(
    words: str, action: str, role: str, expected: object
) -> None:
    """Held things are preferred for giving, loose ones for taking; otherwise all are offered."""
    assert expected == _refer(words, action, role)


@pytest.mark.parametrize(
    ("words", "role", "mentioned", "expected"),
    [
        ("it", "target_id", ("shelf", "tin"), "tin"),
        ("it", "target_id", ("tin", "bread"), "tin"),
        ("it", "target_id", ("anna", "tin"), "tin"),
        ("him", "recipient_id", ("anna", "bert"), "bert"),
        ("it", "target_id", (), ()),
        ("it", "target_id", ("gone",), ()),
        ("him", "recipient_id", ("tin", "bert"), "bert"),
        ("her", "recipient_id", ("tin",), ("bert", "carla")),
        ("them", "recipient_id", ("carla", "tin"), "carla"),
        ("them", "target_id", ("carla", "tin"), "tin"),
    ],
)
def test_pronouns_look_back(
    words: str, role: str, mentioned: tuple[str, ...], expected: object
) -> None:
    """A pronoun means the latest mentioned thing that fits it."""
    assert expected == _refer(words, "take", role, mentioned)


def test_a_near_name_is_offered_and_never_taken() -> None:
    """A misspelt name is not resolved; the nearest name in reach is a hint."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    found = resolve_reference("bras key", "take", "target_id", spoken, make_courtyard())

    assert UnknownReference(Id("bras key"), "did you mean “brass key”?") == found


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("kee", "did you mean “key”?"),
        ("iorn", "did you mean “iron gate”?"),
        ("groundskeper", "did you mean “groundskeeper”?"),
        ("big rusty key", "did you mean “brass key”?"),
        ("yuo", ""),
        ("window", ""),
        ("bollard", ""),
        ("bench into the sea", ""),
    ],
)
def test_only_what_is_really_near_is_offered(words: str, hint: str) -> None:
    """A hint offers a near name only, never a pronoun or the typed word."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    found = resolve_reference(words, "take", "target_id", spoken, make_courtyard())

    assert UnknownReference(Id(words), hint) == found


def _make_room(*things: Entity) -> World:
    room, attic = Id("room"), Id("attic")
    return build_world(
        [
            Entity(id=PLAYER, name="you", kind="character", place=room),
            Entity(id=Id("lamp"), name="great lamp", aliases=("lamp",), place=attic),
            *things,
        ],
        [Location(id=room, name="Room"), Location(id=attic, name="Attic")],
        protagonist=PLAYER,
    )


def test_a_word_that_only_colours_a_name_is_not_the_item() -> None:
    """“Lamp” means the lamp, not the lamp oil."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    sought = ("lamp", "use", "target_id")
    oil = Entity(id=Id("oil"), name="can of lamp oil", aliases=("lamp oil",),
                 place=Id("room"))  # fmt: skip
    desk = Entity(id=Id("desk"), name="desk lamp", place=Id("room"))

    assert Id("lamp") == resolve_reference(*sought, spoken, _make_room(oil))
    assert Id("desk") == resolve_reference(*sought, spoken, _make_room(oil, desk))
    oiled = resolve_reference("lamp oil", "use", "target_id", spoken, _make_room(oil, desk))
    assert Id("oil") == oiled


def test_what_can_be_used_is_meant_by_using() -> None:
    """Of two bells, using means the one with an effect."""
    room = Id("room")
    world = _make_room(
        Entity(id=Id("a"), name="brass bell", place=room),
        Entity(id=Id("b"), name="tin bell", place=room, attributes={"use": {}}),
    )
    spoken = SpokenWords(actor_id=PLAYER, text="")

    assert Id("b") == resolve_reference("bell", "use", "target_id", spoken, world)
    looked = resolve_reference("bell", "inspect", "target_id", spoken, world)
    assert AmbiguousReference((Id("a"), Id("b"))) == looked


@pytest.mark.parametrize("words", ["door", "the door", "扉", "ドア"])
def test_any_door_answers_to_the_plain_word(words: str) -> None:
    """“door” matches any door, whatever its name; with several it is a question."""
    hatch = Entity(id=Id("hatch"), name="hatch", kind="door", openable=True,
                   connects=(Id("room"), Id("attic")))  # fmt: skip
    grate = Entity(id=Id("grate"), name="grate", kind="door", openable=True, open=False,
                   connects=(Id("room"), Id("attic")))  # fmt: skip
    spoken = SpokenWords(actor_id=PLAYER, text="")
    sought = (words, "open", "target_id")

    assert Id("hatch") == resolve_reference(*sought, spoken, _make_room(hatch))
    assert Id("grate") == resolve_reference(*sought, spoken, _make_room(hatch, grate))
    looked = resolve_reference(words, "inspect", "target_id", spoken, _make_room(hatch, grate))
    assert AmbiguousReference((Id("grate"), Id("hatch"))) == looked


def test_hidden_items_are_never_offered() -> None:
    """A hidden thing is never offered as a hint."""
    world = make_courtyard()
    spoken = SpokenWords(actor_id=PLAYER, text="")
    found = resolve_reference("golden ringg", "take", "target_id", spoken, world)

    assert UnknownReference(Id("golden ringg")) == found


def test_what_exists_elsewhere_is_found_by_its_full_name_only() -> None:
    """A thing elsewhere is found by its full name only."""
    spoken = SpokenWords(actor_id=PLAYER, text="")
    whole = resolve_reference("silver coin", "take", "target_id", spoken, make_courtyard())
    part = resolve_reference("silver", "take", "target_id", spoken, make_courtyard())

    assert (Id("coin"), UnknownReference(Id("silver"))) == (whole, part)


def test_a_door_is_found_by_its_direction() -> None:
    """北の門 is the gate in the exit to the north."""
    spoken = SpokenWords(actor_id=HANA, text="")

    assert Id("門") == resolve_reference("北の門", "open", "target_id", spoken, make_house())


def test_an_item_is_found_where_it_was_said_to_be() -> None:
    """机の上の本 is looked for on the desk."""
    spoken = SpokenWords(actor_id=HANA, text="")
    found = resolve_reference("机の上の本", "inspect", "target_id", spoken, make_house())

    assert Id("本") == found


def test_a_speaker_who_is_nowhere_finds_only_what_exists() -> None:
    """An actor that does not exist finds things by full name, and nothing in reach."""
    spoken = SpokenWords(actor_id=Id("nobody"), text="")
    sought = ("brass key", "take", "target_id")

    assert Id("key") == resolve_reference(*sought, spoken, make_courtyard())
    assert AmbiguousReference() == resolve_reference(
        "him", "take", "target_id", spoken, make_courtyard()
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("apple on the moon", "apple on the moon"),
        ("apple on the shelf on the moon", "apple on the shelf on the moon"),
        ("apple in it", "apple in it"),
        ("door on the shelf", ("cellar-door", "hall-door")),
        ("箱の中の本", "箱の中の本"),
    ],
)
def test_a_place_that_does_not_hold_leaves_the_words_as_they_are(
    words: str, expected: object
) -> None:
    """A thing that is not in the place named is not found."""
    assert expected == _refer(words, "inspect")
