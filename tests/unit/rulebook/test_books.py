"""The shipped books, verb by verb: what each refuses, why, and by which check."""

from typing import Any

import pytest

from saniwa.rulebook.judge import judge
from saniwa.rulebook.loader import load_shipped_book
from saniwa.world import actions
from saniwa.world.actions import ACTIONS, RULED_ACTIONS, Action
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, Time, World
from tests.fakes.books import DEFAULT, STRICT

ME = Id("me")


def _make_entity(name: str, place: str | None, **facts: Any) -> Entity:
    at = Id(place) if place else None
    return Entity(id=Id(name), name=name, place=at, **facts)


def _make_lidded(name: str, place: str, *, open: bool, locked: bool = False) -> Entity:
    return _make_entity(
        name,
        place,
        kind="container",
        takeable=name == "bag",
        openable=True,
        open=open,
        lockable=True,
        locked=locked,
        required_key=Id("key"),
        hint="Old locks like brass." if locked else "",
    )


def _make_door(name: str, to: str, *, open: bool, locked: bool = False, **more: Any) -> Entity:
    return Entity(
        id=Id(name),
        name=name,
        kind="door",
        openable=True,
        open=open,
        lockable=True,
        locked=locked,
        required_key=Id("key"),
        connects=(Id("hall"), Id(to)),
        **more,
    )


def make_house(language: str = "en", order: tuple[Id, ...] = ()) -> World:
    """A hall with everything that can make a verb fail."""
    entities = [
        _make_entity("me", "hall", kind="character"),
        _make_entity("bob", "hall", kind="character"),
        _make_entity("eve", "cellar", kind="character"),
        _make_entity("key", "me", takeable=True),
        _make_entity("wrong", "me", takeable=True),
        _make_entity("apple", "me", takeable=True, edible=True),
        _make_lidded("bag", "me", open=True),
        _make_entity("spare", "hall", takeable=True),
        _make_entity("cake", "table", takeable=True, edible=True),
        _make_entity("coin", "box", takeable=True),
        _make_entity("gem", "safe", takeable=True),
        _make_entity("hat", "bob", takeable=True, edible=True),
        _make_entity("ring", "hall", takeable=True, hidden=True),
        _make_entity("pebble", "cellar", takeable=True),
        _make_entity("statue", "hall", kind="fixture"),
        _make_entity("table", "hall", kind="supporter"),
        _make_lidded("box", "hall", open=True),
        _make_lidded("chest", "hall", open=False),
        _make_lidded("safe", "hall", open=False, locked=True),
        _make_entity("lamp", "hall", attributes={"use": {"needs": "spare"}}),
        _make_entity("bell", "hall", attributes={"use": {"needs": "key"}}),
        _make_entity("moon", None),
        _make_door("arch", "garden", open=True),
        _make_door("hatch", "attic", open=False),
        _make_door("gate", "vault", open=False, locked=True, hint="A brass key, perhaps."),
        _make_door("panel", "crypt", open=True, hidden=True),
    ]
    doors = (("garden", "arch"), ("attic", "hatch"), ("vault", "gate"), ("crypt", "panel"))
    exits = (*(Exit(to=Id(to), door=Id(d)) for to, d in doors), Exit(to=Id("porch")))
    rooms = ("garden", "attic", "vault", "crypt", "porch", "cellar")
    hall = Location(id=Id("hall"), name="Hall", exits=exits)
    return build_world(
        entities,
        [hall, *(Location(id=Id(r), name=r.title()) for r in rooms)],
        time=Time(turn=0),
        turn_order=order,
        protagonist=ME,
        language=language,
    )


def _make_action(verb: str, *names: str, **fields: str) -> Action:
    cls: Any = ACTIONS[verb]
    named = dict(zip(cls.roles, map(Id, names), strict=False))
    action: Action = cls(actor_id=Id(fields.pop("by", "me")), **named, **fields)
    return action


STRICTLY = [
    # go
    ("move porch", "OK", "move"),
    ("move garden", "OK", "move"),
    ("move atlantis", "NOT_FOUND", "move.exists"),
    ("move table", "INVALID_TARGET", "move.place"),
    ("move hall", "INVALID_TARGET", "move.elsewhere"),
    ("move cellar", "INVALID_TARGET", "move.connected"),
    ("move crypt", "INVALID_TARGET", "move.connected"),
    ("move vault", "LOCKED", "move.door_unlocked"),
    ("move attic", "MISSING_REQUIREMENT", "move.door_open"),
    # take, from floor, container and supporter
    ("take spare", "OK", "take"),
    ("take spare hall", "OK", "take"),
    ("take cake", "OK", "take"),
    ("take cake table", "OK", "take"),
    ("take coin", "OK", "take"),
    ("take coin box", "OK", "take"),
    ("take unicorn", "NOT_FOUND", "take.exists"),
    ("take coin unicorn", "NOT_FOUND", "take.source_exists"),
    ("take pebble", "NOT_PRESENT", "take.in_scope"),
    ("take ring", "NOT_PRESENT", "take.in_scope"),
    ("take gem", "NOT_PRESENT", "take.in_scope"),
    ("take gem safe", "NOT_PRESENT", "take.in_scope"),
    ("take coin cellar", "NOT_PRESENT", "take.source_in_scope"),
    ("take coin table", "NOT_PRESENT", "take.in_source"),
    ("take coin hall", "NOT_PRESENT", "take.in_source"),
    ("take bob", "INVALID_TARGET", "take.not_person"),
    ("take me", "INVALID_TARGET", "take.not_person"),
    ("take hat", "INVALID_TARGET", "take.not_owned"),
    ("take hat bob", "INVALID_TARGET", "take.not_owned"),
    ("take key", "INVALID_TARGET", "take.not_held"),
    ("take statue", "INVALID_TARGET", "take.takeable"),
    ("take hall", "INVALID_TARGET", "take.takeable"),
    ("take gate", "INVALID_TARGET", "take.takeable"),
    # drop
    ("drop key", "OK", "drop"),
    ("drop unicorn", "NOT_FOUND", "drop.exists"),
    ("drop pebble", "NOT_PRESENT", "drop.in_scope"),
    ("drop spare", "MISSING_REQUIREMENT", "drop.held"),
    ("drop me", "INVALID_TARGET", "drop.not_person"),
    ("drop bob", "INVALID_TARGET", "drop.not_person"),
    ("drop statue", "INVALID_TARGET", "drop.portable"),
    ("drop table", "INVALID_TARGET", "drop.portable"),
    ("drop hall", "INVALID_TARGET", "drop.portable"),
    # put in, put on
    ("put key box", "OK", "put"),
    ("put key table", "OK", "put"),
    ("put key bag", "OK", "put"),
    ("put unicorn box", "NOT_FOUND", "put.exists"),
    ("put key unicorn", "NOT_FOUND", "put.destination_exists"),
    ("put pebble box", "NOT_PRESENT", "put.in_scope"),
    ("put key eve", "NOT_PRESENT", "put.destination_in_scope"),
    ("put spare box", "MISSING_REQUIREMENT", "put.held"),
    ("put spare statue", "MISSING_REQUIREMENT", "put.held"),
    ("put key statue", "INVALID_TARGET", "put.holds_things"),
    ("put key bob", "INVALID_TARGET", "put.holds_things"),
    ("put key hall", "INVALID_TARGET", "put.holds_things"),
    ("put bag bag", "INVALID_TARGET", "put.not_itself"),
    ("put key safe", "LOCKED", "put.destination_unlocked"),
    ("put key chest", "MISSING_REQUIREMENT", "put.destination_open"),
    # give
    ("give key bob", "OK", "give"),
    ("give unicorn bob", "NOT_FOUND", "give.exists"),
    ("give key santa", "NOT_FOUND", "give.recipient_exists"),
    ("give pebble bob", "NOT_PRESENT", "give.in_scope"),
    ("give key eve", "NOT_PRESENT", "give.recipient_in_scope"),
    ("give spare bob", "MISSING_REQUIREMENT", "give.held"),
    ("give key table", "INVALID_TARGET", "give.person"),
    ("give key me", "INVALID_TARGET", "give.not_oneself"),
    # open, close
    ("open hatch", "OK", "open"),
    ("open chest", "OK", "open"),
    ("open unicorn", "NOT_FOUND", "open.exists"),
    ("open panel", "NOT_PRESENT", "open.in_scope"),
    ("open statue", "INVALID_TARGET", "open.openable"),
    ("open hall", "INVALID_TARGET", "open.openable"),
    ("open gate", "LOCKED", "open.unlocked"),
    ("open safe", "LOCKED", "open.unlocked"),
    ("open arch", "INVALID_TARGET", "open.shut"),
    ("close arch", "OK", "close"),
    ("close unicorn", "NOT_FOUND", "close.exists"),
    ("close pebble", "NOT_PRESENT", "close.in_scope"),
    ("close statue", "INVALID_TARGET", "close.openable"),
    ("close hatch", "INVALID_TARGET", "close.not_shut"),
    # lock, unlock
    ("lock hatch key", "OK", "lock"),
    ("lock unicorn key", "NOT_FOUND", "lock.exists"),
    ("lock hatch unicorn", "NOT_FOUND", "lock.tool_exists"),
    ("lock pebble key", "NOT_PRESENT", "lock.in_scope"),
    ("lock hatch pebble", "NOT_PRESENT", "lock.tool_in_scope"),
    ("lock hatch", "MISSING_REQUIREMENT", "lock.tool_given"),
    ("lock hatch spare", "MISSING_REQUIREMENT", "lock.tool_held"),
    ("lock statue key", "INVALID_TARGET", "lock.lockable"),
    ("lock gate key", "INVALID_TARGET", "lock.not_locked"),
    ("lock arch key", "MISSING_REQUIREMENT", "lock.shut_first"),
    ("lock hatch wrong", "MISSING_REQUIREMENT", "lock.key_fits"),
    ("unlock gate key", "OK", "unlock"),
    ("unlock safe key", "OK", "unlock"),
    ("unlock unicorn key", "NOT_FOUND", "unlock.exists"),
    ("unlock gate unicorn", "NOT_FOUND", "unlock.tool_exists"),
    ("unlock pebble key", "NOT_PRESENT", "unlock.in_scope"),
    ("unlock gate pebble", "NOT_PRESENT", "unlock.tool_in_scope"),
    ("unlock gate", "MISSING_REQUIREMENT", "unlock.tool_given"),
    ("unlock gate spare", "MISSING_REQUIREMENT", "unlock.tool_held"),
    ("unlock statue key", "INVALID_TARGET", "unlock.lockable"),
    ("unlock hatch key", "INVALID_TARGET", "unlock.is_locked"),
    ("unlock gate wrong", "MISSING_REQUIREMENT", "unlock.key_fits"),
    # eat
    ("eat apple", "OK", "eat"),
    ("eat unicorn", "NOT_FOUND", "eat.exists"),
    ("eat pebble", "NOT_PRESENT", "eat.in_scope"),
    ("eat cake", "MISSING_REQUIREMENT", "eat.held"),
    ("eat key", "INVALID_TARGET", "eat.edible"),
    ("eat spare", "INVALID_TARGET", "eat.edible"),
    ("eat statue", "INVALID_TARGET", "eat.edible"),
    # examine, search
    ("inspect statue", "OK", "inspect"),
    ("inspect hall", "OK", "inspect"),
    ("inspect bob", "OK", "inspect"),
    ("inspect hat", "OK", "inspect"),
    ("inspect unicorn", "NOT_FOUND", "inspect.exists"),
    ("inspect cellar", "NOT_PRESENT", "inspect.in_scope"),
    ("inspect ring", "NOT_PRESENT", "inspect.in_scope"),
    ("search hall", "OK", "search"),
    ("search box", "OK", "search"),
    ("search unicorn", "NOT_FOUND", "search.exists"),
    ("search pebble", "NOT_PRESENT", "search.in_scope"),
    ("search bob", "INVALID_TARGET", "search.not_person"),
    ("search safe", "LOCKED", "search.unlocked"),
    ("search chest", "MISSING_REQUIREMENT", "search.opened"),
    # use
    ("use bell", "OK", "use"),
    ("use bell key", "OK", "use"),
    ("use statue", "OK", "use"),
    ("use unicorn", "NOT_FOUND", "use.exists"),
    ("use bell unicorn", "NOT_FOUND", "use.tool_exists"),
    ("use pebble", "NOT_PRESENT", "use.in_scope"),
    ("use bell pebble", "NOT_PRESENT", "use.tool_in_scope"),
    ("use bell spare", "MISSING_REQUIREMENT", "use.tool_held"),
    ("use lamp", "MISSING_REQUIREMENT", "use.needs"),
    # introduce
    ("introduce moon", "OK", "introduce"),
    ("introduce eve", "INVALID_TARGET", "introduce.off_stage"),
    ("introduce gate", "INVALID_TARGET", "introduce.off_stage"),
    ("introduce cellar", "INVALID_TARGET", "introduce.off_stage"),
    # nothing that fails
    ("look", "OK", "look"),
    ("wait", "OK", "wait"),
]

COMFORTABLY = [
    ("open gate", "OK", "open"),
    ("open safe", "OK", "open"),
    ("open arch", "INVALID_TARGET", "open.shut"),
    ("lock hatch", "OK", "lock"),
    ("lock hatch key", "OK", "lock"),
    ("lock hatch wrong", "MISSING_REQUIREMENT", "lock.key_fits"),
    ("lock hatch spare", "MISSING_REQUIREMENT", "lock.tool_held"),
    ("lock arch", "MISSING_REQUIREMENT", "lock.shut_first"),
    ("unlock gate", "OK", "unlock"),
    ("unlock gate key", "OK", "unlock"),
    ("unlock gate wrong", "MISSING_REQUIREMENT", "unlock.key_fits"),
    ("unlock hatch", "INVALID_TARGET", "unlock.is_locked"),
    ("move vault", "LOCKED", "move.door_unlocked"),
    ("eat cake", "OK", "eat"),
    ("eat hat", "INVALID_TARGET", "eat.not_owned"),
    ("put spare box", "OK", "put"),
    ("put cake table", "INVALID_TARGET", "put.not_there"),
    ("put statue box", "INVALID_TARGET", "put.takeable"),
    ("put hat box", "INVALID_TARGET", "put.not_owned"),
    ("put bob box", "INVALID_TARGET", "put.not_person"),
    ("put box box", "INVALID_TARGET", "put.takeable"),
    ("put bag bag", "INVALID_TARGET", "put.not_itself"),
    ("put spare safe", "LOCKED", "put.destination_unlocked"),
    ("put spare chest", "MISSING_REQUIREMENT", "put.destination_open"),
    ("give spare bob", "OK", "give"),
    ("give hat bob", "INVALID_TARGET", "give.not_owned"),
    ("drop spare", "MISSING_REQUIREMENT", "drop.held"),
    ("take key", "INVALID_TARGET", "take.not_held"),
    ("take hat", "INVALID_TARGET", "take.not_owned"),
]


@pytest.mark.parametrize(("words", "reason", "check"), STRICTLY)
def test_strict_answers(words: str, reason: str, check: str) -> None:
    """The strict book refuses with this reason, decided by this check."""
    verdict = judge(_make_action(*words.split()), make_house(), STRICT)

    assert (reason, check) == (verdict.reason_code, verdict.check)


@pytest.mark.parametrize(("words", "reason", "check"), COMFORTABLY)
def test_default_answers(words: str, reason: str, check: str) -> None:
    """The default book refuses with this reason, decided by this check."""
    verdict = judge(_make_action(*words.split()), make_house(), DEFAULT)

    assert (reason, check) == (verdict.reason_code, verdict.check)


@pytest.mark.parametrize(
    ("words", "relation", "check"),
    [
        ("put key box", "in", "put"),
        ("put key table", "on", "put"),
        ("put key table", "in", "put.into_container"),
        ("put key box", "on", "put.onto_supporter"),
        ("put key safe", "on", "put.onto_supporter"),
        ("put spare table", "in", "put.held"),
    ],
)
def test_strict_knows_in_from_on(words: str, relation: str, check: str) -> None:
    """In the strict book, things go into containers and onto supporters only."""
    verdict = judge(_make_action(*words.split(), relation=relation), make_house(), STRICT)

    assert check == verdict.check


@pytest.mark.parametrize("relation", ["in", "on"])
@pytest.mark.parametrize("where", ["box", "table"])
def test_default_takes_in_for_on(where: str, relation: str) -> None:
    """The default book accepts `in` for a supporter and `on` for a container."""
    verdict = judge(_make_action("put", "spare", where, relation=relation), make_house(), DEFAULT)

    assert verdict.success


def test_an_item_in_hand_can_be_put_down_though_it_is_fixed() -> None:
    """A held thing can be dropped even if it cannot be taken."""
    anvil = _make_entity("anvil", "me", takeable=False)
    smith = _make_entity("me", "forge", kind="character")
    world = build_world([anvil, smith], [Location(id=Id("forge"), name="Forge")])

    assert judge(_make_action("drop", "anvil"), world, STRICT).success


def test_taking_what_one_sits_in_is_refused() -> None:
    """An actor cannot take the thing that it is inside of."""
    boat = _make_entity("boat", "lake", kind="container", takeable=True)
    rower = _make_entity("me", "boat", kind="character")
    world = build_world([boat, rower], [Location(id=Id("lake"), name="Lake")])
    verdict = judge(_make_action("take", "boat"), world, STRICT)

    assert "take.not_around_actor" == verdict.check


@pytest.mark.parametrize("book", [DEFAULT, STRICT], ids=["default", "strict"])
def test_every_reason_but_unknown_is_given_by_a_book(book: Any) -> None:
    """Each shipped book can give every reason except UNKNOWN."""
    reasons = {check.reason for checks in book.checks.values() for check in checks}

    assert {
        "NOT_FOUND",
        "NOT_PRESENT",
        "LOCKED",
        "INVALID_TARGET",
        "MISSING_REQUIREMENT",
        "OUT_OF_TURN",
    } == reasons


@pytest.mark.parametrize("book", [DEFAULT, STRICT], ids=["default", "strict"])
def test_acting_out_of_turn_is_refused_before_all_else(book: Any) -> None:
    """Where a scenario has a turn order, acting out of turn is refused before all else."""
    verdict = judge(_make_action("take", "unicorn"), make_house(order=(Id("bob"), ME)), book)

    assert ("OUT_OF_TURN", "*.in_turn") == (verdict.reason_code, verdict.check)


@pytest.mark.parametrize("book", [DEFAULT, STRICT], ids=["default", "strict"])
def test_only_people_are_actors(book: Any) -> None:
    """An actor that does not exist, or is a thing, is not found."""
    checks = [judge(_make_action("wait", by=who), make_house(), book) for who in ("ghost", "table")]

    assert [("NOT_FOUND", "*.actor")] * 2 == [(v.reason_code, v.check) for v in checks]


def test_only_the_protagonist_and_the_trusted_introduce() -> None:
    """Only the protagonist, and characters the author trusts, may introduce."""
    refused = judge(_make_action("introduce", "moon", by="bob"), make_house(), DEFAULT)
    trusted = _make_entity("bob", "hall", kind="character", attributes={"may_introduce": True})
    hall = Location(id=Id("hall"), name="Hall")
    world = build_world([trusted, _make_entity("moon", None)], [hall])

    assert ("MISSING_REQUIREMENT", "introduce.authorised") == (refused.reason_code, refused.check)
    assert judge(_make_action("introduce", "moon", by="bob"), world, DEFAULT).success


def test_a_name_occurs_once_in_a_scene() -> None:
    """An introduced name must be new to the scene."""
    twin = actions.Introduce(actor_id=ME, metadata={"name": "Table"})
    fresh = actions.Introduce(actor_id=ME, metadata={"name": "harp"})

    assert "introduce.new_name" == judge(twin, make_house(), DEFAULT).check
    assert judge(fresh, make_house(), DEFAULT).success


@pytest.mark.parametrize(
    ("words", "check"),
    [
        ("table", "describe"),
        ("me", "describe"),
        ("bob", "describe"),
        ("unicorn", "describe.exists"),
        ("pebble", "describe.in_scope"),
        ("hall", "describe.not_place"),
    ],
)
def test_what_may_be_described(words: str, check: str) -> None:
    """The protagonist may describe what is in scope, but not a place."""
    action = _make_action("describe", words, content="Tall.")

    assert check == judge(action, make_house(), STRICT).check


def test_others_describe_themselves_and_objects_only() -> None:
    """Other characters may describe themselves and objects, not other people."""
    mine = _make_action("describe", "me", content="Small.", by="bob")
    own = _make_action("describe", "bob", content="Tall.", by="bob")

    assert "describe.own" == judge(mine, make_house(), DEFAULT).check
    assert judge(own, make_house(), DEFAULT).success


def test_speech_is_free() -> None:
    """The books allow any speech."""
    said = actions.Speak(actor_id=ME, content="Hello")

    assert judge(said, make_house(), STRICT).success


def test_a_refusal_speaks_the_worlds_language() -> None:
    """The message is in the world's language and names the thing."""
    action = _make_action("open", "gate", by="bob")

    assert "The gate is locked." == judge(action, make_house(), DEFAULT).message
    assert "gateには鍵がかかっている。" == judge(action, make_house("ja"), DEFAULT).message


def test_an_authors_hint_reaches_the_actor_before_the_lock() -> None:
    """The author's hint for a locked thing comes with the refusal."""
    walked = judge(_make_action("move", "vault"), make_house(), STRICT)
    pulled = judge(_make_action("open", "safe"), make_house(), STRICT)

    assert "A brass key, perhaps." == walked.hint
    assert "Old locks like brass." == pulled.hint


def test_what_is_hidden_sounds_like_what_is_elsewhere() -> None:
    """A refusal does not reveal that a hidden thing is here."""
    hidden = judge(_make_action("take", "ring"), make_house(), STRICT)
    elsewhere = judge(_make_action("take", "pebble"), make_house(), STRICT)

    assert hidden.message.replace("ring", "pebble") == elsewhere.message


@pytest.mark.parametrize("name", ["default", "strict"])
def test_shipped_books_name_every_action_and_speak_two_languages(name: str) -> None:
    """Shipped books have a rule for every action but gestures, with messages in two languages."""
    rules = load_shipped_book(name)["rules"]
    checks = [check for rule in rules for check in rule["checks"]]

    assert {"*", *RULED_ACTIONS} == {rule["actionType"] for rule in rules}
    assert all({"en", "ja"} == set(c["failMessage"]) for c in checks)
    assert all(c["description"] for c in checks)
