from typing import Any

import pytest
from immutables import Map
from msgspec.structs import replace

from saniwa.rulebook.predicates import make_case
from saniwa.world.actions import Action, Introduce, Take, Unlock, Use
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.books import build_book, make_rule
from tests.fakes.worlds import PLAYER, make_courtyard

TAKE = Take(actor_id=PLAYER, target_id=Id("key"))
UNLOCK = Unlock(actor_id=PLAYER, target_id=Id("gate"), tool_id=Id("key"))


def holds(condition: Any, action: Action = TAKE, world: World | None = None) -> bool:
    """Whether a condition holds for an action in the garden or another world."""
    test = build_book(make_rule("*", condition)).checks[type(action)][0].test
    return test(make_case(action, world or make_courtyard()))


def _make_equality(attribute: str, value: Any, role: str = "target") -> dict[str, Any]:
    return {"eq": {"role": role, "attribute": attribute, "value": value}}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"entityExists": "target"}, True),
        ({"entityExists": "source"}, False),
        ({"entityExistsOrWillBeCreated": "target"}, True),
        ({"entityExistsOrWillBeCreated": "tool"}, False),
        ({"given": "target"}, True),
        ({"given": "source"}, False),
        ({"given": "actorRoom"}, True),
        ({"given": "door"}, False),
        ({"entityType": {"role": "target", "requiredType": "item"}}, True),
        ({"entityType": {"role": "actorRoom", "requiredType": "room"}}, True),
        ({"entityType": {"role": "tool", "requiredType": "item"}}, False),
        ({"isKind": {"role": "target", "kinds": ["door", "item"]}}, True),
        ({"isKind": {"role": "target", "kinds": ["door"]}}, False),
        ({"isPlace": "actorRoom"}, True),
        ({"isPlace": "target"}, False),
        (_make_equality("id", "key"), True),
        (_make_equality("name", "brass key"), True),
        (_make_equality("type", "item"), True),
        (_make_equality("kind", "item"), True),
        (_make_equality("takeable", True), True),
        (_make_equality("takeable", 1), False),
        (_make_equality("aliases", ["key"]), True),
        (_make_equality("colour", "brass"), False),
        (_make_equality("takeable", True, "actorRoom"), False),
        (_make_equality("name", "x", "tool"), False),
        ({"neq": {"role": "target", "attribute": "id", "value": "x"}}, True),
        ({"neq": {"role": "target", "attribute": "id", "value": "key"}}, False),
        ({"neq": {"role": "target", "attribute": "colour", "value": "red"}}, False),
        ({"neq": {"role": "tool", "attribute": "id", "value": "x"}}, False),
        ({"attributeExists": {"role": "target", "attribute": "place"}}, True),
        ({"attributeExists": {"role": "target", "attribute": "colour"}}, False),
        ({"attributeExists": {"role": "target", "attribute": "required_key"}}, False),
        ({"attributeExists": {"role": "tool", "attribute": "id"}}, False),
        ({"attributeTrue": {"role": "target", "attribute": "takeable"}}, True),
        ({"attributeTrue": {"role": "target", "attribute": "edible"}}, False),
        ({"attributeTrue": {"role": "target", "attribute": "name"}}, False),
        ({"attributeTrue": {"role": "tool", "attribute": "name"}}, False),
        ({"attributeIncludes": {"role": "target", "attribute": "aliases", "value": "key"}}, True),
        ({"attributeIncludes": {"role": "target", "attribute": "aliases", "value": "x"}}, False),
        ({"attributeIncludes": {"role": "target", "attribute": "name", "value": "b"}}, False),
        ({"closed": "target"}, False),
        ({"closed": "tool"}, False),
        ({"locked": "target"}, False),
        ({"locked": "tool"}, False),
        ({"actorIdIn": ["player"]}, True),
        ({"actorIdIn": ["keeper"]}, False),
        ({"actorNameIn": ["YOU"]}, True),
        ({"actorNameIn": ["me"]}, False),
        ({"isProtagonist": "actor"}, True),
        ({"isProtagonist": "target"}, False),
        ({"isProtagonist": "tool"}, False),
        ("actorsTurn", True),
        ({"flag": "lit"}, False),
        ({"flag": {"name": "lit", "value": False}}, False),
        ({"actionMetadataEq": {"key": "a", "value": 1}}, False),
        ({"metaValueNotInRoom": {}}, False),
        ({"nameFree": "target"}, False),
    ],
)
def test_facts_about_taking_the_key(condition: Any, expected: bool) -> None:
    """Each predicate says whether it is true; about an absent thing it is false."""
    assert expected == holds(condition)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"closed": "target"}, True),
        ({"locked": None}, True),
        (_make_equality("required_key", "key"), True),
        (_make_equality("requiredKey", "key"), True),
        (_make_equality("connects", ["yard", "orchard"]), True),
    ],
)
def test_facts_about_a_locked_gate(condition: Any, expected: bool) -> None:
    """Fields of a gate can be read in either spelling."""
    assert expected == holds(condition, UNLOCK)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("has_key", True), ("use.needs", "key"), ("use", {"needs": "key"}), ("a.b", 1)],
)
def test_an_authors_own_facts(attribute: str, value: Any) -> None:
    """A name that is not a field is looked up in the attributes, also with dots."""
    facts = {"has_key": True, "use": {"needs": "key"}, "a.b": 1, "a": {"b": 2}}
    me = Entity(id=PLAYER, name="me", kind="character", place=Id("a"), attributes=facts)
    world = build_world([me], [Location(id=Id("a"), name="A")])

    assert holds(_make_equality(attribute, value, "actor"), TAKE, world)


def test_a_reference_from_one_entity_to_anothers_fact() -> None:
    """`has_` and a key's id is true on an actor that has this attribute."""
    ref = {"attributeRef": {"prefix": "has_", "refAttribute": "required_key"}}
    facts = {"has_brass": True}
    me = Entity(id=PLAYER, name="me", kind="character", place=Id("a"), attributes=facts)
    doors = [
        Entity(id=Id(name), name=name, kind="door", required_key=Id(key) if key else None)
        for name, key in (("one", "brass"), ("two", "tin"), ("three", None))
    ]
    world = build_world([me, *doors], [Location(id=Id("a"), name="A")])
    named = ("one", "two", "three", "four")
    opened = [Take(actor_id=PLAYER, target_id=Id(name)) for name in named]

    assert [True, False, False, False] == [holds(ref, a, world) for a in opened]


def test_names_are_compared_without_case_for_those_who_exist() -> None:
    """Names are compared without case; an actor that does not exist matches none."""
    ghost = Take(actor_id=Id("ghost"), target_id=Id("key"))

    assert not holds({"actorNameIn": ["ghost"]}, ghost)


def test_the_order_of_turns_is_known() -> None:
    """If there is a turn order, only the next actor has the turn."""
    world = replace(make_courtyard(), turn_order=(Id("keeper"), PLAYER))
    later = replace(world, time=replace_turn(world, 1))

    assert not holds("actorsTurn", TAKE, world)
    assert holds("actorsTurn", TAKE, later)


def replace_turn(world: World, turn: int) -> Any:
    """The same hour, with another turn count."""
    return type(world.time)(label=world.time.label, turn=turn)


@pytest.mark.parametrize(("value", "expected"), [(True, True), (False, False)])
def test_flags_are_asked_by_value(value: bool, expected: bool) -> None:
    """A condition compares a flag's value."""
    world = replace(make_courtyard(), flags=Map({"lit": value}))

    assert expected == holds({"flag": "lit"}, TAKE, world)
    assert expected != holds({"flag": {"name": "lit", "value": False}}, TAKE, world)


@pytest.mark.parametrize(
    ("metadata", "kind", "expected"),
    [
        ({"name": "harp"}, None, True),
        ({"name": "BENCH"}, None, False),
        ({"name": "bench"}, "character", True),
        ({"name": "coin"}, None, True),
        ({"name": 3}, None, False),
        ({}, None, False),
        (None, None, False),
    ],
)
def test_a_name_in_the_metadata_is_new_to_the_room(
    metadata: Any, kind: str | None, expected: bool
) -> None:
    """A new name must differ from those in reach, and must be a name."""
    action = Introduce(actor_id=PLAYER, metadata=metadata)
    condition = {"metaValueNotInRoom": {"metaKey": "name", "entityType": kind}}

    assert expected == holds(condition, action)


@pytest.mark.parametrize(
    ("target", "metadata", "expected"),
    [
        ("coin", None, True),
        ("bench", None, False),
        ("harp", None, True),
        ("Bench", None, False),
        (None, {"name": "harp"}, True),
        (None, {"name": "bench"}, False),
        (None, None, False),
        ("harp", {"name": "bench"}, False),
    ],
)
def test_a_newcomers_name_is_free(target: Any, metadata: Any, expected: bool) -> None:
    """A name is free if no entity in reach has it; it may come from the id or the metadata."""
    action = Introduce(actor_id=PLAYER, target_id=target, metadata=metadata)

    assert expected == holds({"nameFree": "target"}, action)


def test_what_an_introduction_says_can_be_asked() -> None:
    """Metadata is compared as JSON, and an entity still to be created counts."""
    action = Introduce(actor_id=PLAYER, target_id=Id("x"), metadata={"n": 1})

    assert holds({"actionMetadataEq": {"key": "n", "value": 1}}, action)
    assert not holds({"actionMetadataEq": {"key": "n", "value": True}}, action)
    assert holds({"entityExistsOrWillBeCreated": "target"}, action)


def _is(of: str, action: Action = UNLOCK, attribute: str = "required_key") -> bool:
    asked = {"role": "target", "attribute": attribute, "ofRole": of}
    return holds({"attributeIs": asked}, action)


def test_a_fact_may_be_the_id_of_another_role() -> None:
    """An attribute can name the entity or place of another role; an absent one matches nothing."""
    assert _is("tool")
    assert not _is("actor")
    assert not _is("source")
    assert not _is("tool", attribute="colour")
    assert not _is("tool", TAKE)
    where = {"role": "actor", "attribute": "place", "ofRole": "actorRoom"}
    assert holds({"attributeIs": where})


def test_the_manner_is_asked_of_crafts_alone() -> None:
    """Only crafts have a manner; plain using and other actions have none."""
    asked = {"manner": ["polish", "wax"]}
    used = Use(actor_id=PLAYER, target_id=Id("key"))

    assert holds(asked, replace(used, manner="wax"))
    assert not holds(asked, replace(used, manner="slice"))
    assert not holds(asked, used)
    assert not holds(asked)
