import pytest

from saniwa.world.model import Id, World
from tests.fakes.scenarios import Plain, build_world, list_codes, list_findings, make_flat

_GATE: Plain = {"kind": "door", "connects": ["kitchen", "hall"]}


def _list_doors(made: World) -> dict[str, str | None]:
    return {place.id: way.door for place in made.locations.values() for way in place.exits}


def test_a_door_is_in_every_exit_between_its_sides() -> None:
    """`connects` alone puts a closed door in both exits."""
    made = build_world(make_flat(props={"gate": _GATE}))
    gate = made.entities[Id("gate")]

    assert {"kitchen": "gate", "hall": "gate"} == _list_doors(made)
    assert (("kitchen", "hall"), None) == (gate.connects, gate.place)
    assert (True, False, False, False) == (gate.openable, gate.open, gate.lockable, gate.takeable)


def test_an_exit_may_name_its_door() -> None:
    """A door that exits name needs no `connects`."""
    made = build_world(
        make_flat(
            locations={
                "kitchen": {"exits": {"north": {"to": "hall", "door": "gate"}}},
                "hall": {"exits": [{"to": "kitchen", "label": "south"}]},
            },
            props={"gate": {"kind": "door"}},
        )
    )

    assert {"kitchen": "gate", "hall": "gate"} == _list_doors(made)
    assert ["north", "south"] == [
        made.locations[Id(id)].exits[0].label for id in ("kitchen", "hall")
    ]


def test_a_locked_exit_is_a_door_with_a_key_and_a_hint() -> None:
    """The original format's `locked_exits` becomes one door for both sides."""
    bar = {
        "door_name": "oak door",
        "required_key": "key",
        "hint_on_locked": "Look in the pot.",
        "suggestions": ["look"],
    }
    made = build_world(
        make_flat(
            locations={
                "kitchen": {"props": ["key", "oak door"], "locked_exits": {"hall": bar}},
                "hall": {"props": ["oak door"], "exits": ["kitchen"]},
            }
        )
    )
    door = made.entities[Id("oak door")]

    assert {"kitchen": "oak door", "hall": "oak door"} == _list_doors(made)
    assert {"Ann", "key", "oak door"} == set(made.entities)
    assert ("door", None, True, False, "key") == (
        door.kind,
        door.place,
        door.locked,
        door.open,
        door.required_key,
    )
    assert "Look in the pot. → look" == door.hint


def test_both_sides_of_a_locked_exit_are_one_door() -> None:
    """A door written on both sides is one door, and both must agree."""
    one = {"door_name": "oak door", "required_key": "key"}
    rooms = {
        "kitchen": {"props": ["key"], "locked_exits": {"hall": one}},
        "hall": {"locked_exits": {"kitchen": one}},
    }
    other = rooms | {"hall": {"locked_exits": {"kitchen": one | {"locked": False}}}}

    assert {"Ann", "key", "oak door"} == set(build_world(make_flat(locations=rooms)).entities)
    assert ["STATE_CONTRADICTION"] == list_codes(make_flat(locations=other))


def test_doors_of_one_name_between_other_rooms_are_other_doors() -> None:
    """Doors with the same name between other rooms are different doors."""
    bar = {"door_name": "door", "required_key": "key"}
    made = build_world(
        make_flat(
            locations={
                "kitchen": {"props": ["key"], "locked_exits": {"hall": bar}},
                "hall": {"exits": ["kitchen"], "locked_exits": {"attic": bar}},
                "attic": {"exits": ["hall"]},
            }
        )
    )

    assert ("kitchen", "hall") == made.entities[Id("door")].connects
    assert ("hall", "attic") == made.entities[Id("door#2")].connects


def test_a_nameless_door_is_called_a_door() -> None:
    """Without `door_name` a door gets a default name in the story's language."""
    bars = {"locked_exits": {"hall": {"locked": False}}}
    rooms = {"kitchen": bars, "hall": {"exits": ["kitchen"]}}

    assert "door" in build_world(make_flat(locations=rooms)).entities
    assert "扉" in build_world(make_flat(locations=rooms, language="ja")).entities


def test_a_door_may_lead_on_from_where_it_is() -> None:
    """The original format's `location` and `leads_to` are the two sides of a door."""
    made = build_world(make_flat(props={"gate": {"location": "hall", "leads_to": "kitchen"}}))

    assert ("hall", "kitchen") == made.entities[Id("gate")].connects


@pytest.mark.parametrize(
    ("props", "hint"),
    [
        ({"gate": {"kind": "door"}}, "add 'connects' with two locations"),
        ({"gate": _GATE | {"connects": ["hall", "hall"]}}, ""),
        ({"gate": _GATE | {"connects": ["hall"]}}, ""),
        ({"gate": _GATE | {"connects": ["hall", "kitchn"]}}, "did you mean 'kitchen'?"),
        ({"gate": {"kind": "door", "leads_to": "hall"}}, ""),
    ],
)
def test_a_door_needs_two_sides(props: Plain, hint: str) -> None:
    """A door with fewer than two different known sides is a mistake."""
    (found,) = list_findings(make_flat(props=props))

    assert ("DOOR_SIDES", hint) == (found.code, found.hint)


def test_a_door_needs_an_exit() -> None:
    """A door needs an exit between its sides."""
    rooms = {"kitchen": {"exits": ["hall"]}, "hall": {"exits": ["kitchen", "attic"]}, "attic": {"exits": ["hall"]}}  # fmt: skip
    gate = _GATE | {"connects": ["kitchen", "attic"]}

    assert ["DOOR_SIDES"] == list_codes(make_flat(locations=rooms, props={"gate": gate}))


def test_an_exit_with_two_doors_must_say_which() -> None:
    """With two doors between the same rooms, each exit must name its door."""
    two = {"gate": _GATE, "hatch": _GATE}
    named = {
        "kitchen": {"exits": [{"to": "hall", "door": "gate"}]},
        "hall": {"exits": [{"to": "kitchen", "door": "hatch"}]},
    }

    assert ["DOOR_SIDES", "DOOR_SIDES"] == list_codes(make_flat(props=two))
    assert [] == list_codes(make_flat(props=two, locations=named))


@pytest.mark.parametrize(
    ("door", "code", "hint"),
    [
        ("gat", "NAME_UNKNOWN", "did you mean 'gate'?"),
        ("cup", "NAME_UNKNOWN", "give it the kind 'door'"),
        ("hatch", "DOOR_SIDES", ""),
    ],
)
def test_the_door_of_an_exit_must_stand_there(door: str, code: str, hint: str) -> None:
    """The door that an exit names must exist and connect the two places of the exit."""
    rooms = {
        "kitchen": {"exits": [{"to": "hall", "door": door}], "props": ["cup"]},
        "hall": {"exits": ["kitchen", "attic"]},
        "attic": {"exits": ["hall"]},
    }
    props = {"gate": _GATE, "hatch": _GATE | {"connects": ["hall", "attic"]}}

    (found,) = list_findings(make_flat(locations=rooms, props=props))

    assert (code, hint) == (found.code, found.hint)


def test_a_second_exit_to_the_same_place_is_a_warning() -> None:
    """A second exit to the same place is a warning, because only the first is used."""
    rooms = {"kitchen": {"exits": {"east": "hall", "out": "hall"}}, "hall": {"exits": ["kitchen"]}}  # fmt: skip

    assert ["EXIT_REPEATED"] == list_codes(make_flat(locations=rooms))


def test_a_locked_exit_to_nowhere_is_an_exit_to_nowhere() -> None:
    """An unknown target has the contract's message in both forms of a locked exit."""
    rooms: Plain = {"kitchen": {"locked_exits": {"attic": {}}}, "hall": {}}

    found = list_findings(make_flat(locations=rooms))[0]

    assert "Exit target 'attic' from 'kitchen' does not exist" == found.message


def test_a_key_is_found_by_id_or_by_a_name_of_its_own() -> None:
    """A key is found by id or by a unique name."""
    box = {"location": "hall", "kind": "container", "locked": True}
    key = {"name": "small key", "location": "hall"}
    one = make_flat(props={"box": box | {"required_key": "small key"}, "k1": key})
    two = make_flat(props={"box": box | {"required_key": "small key"}, "k1": key, "k2": key})
    none = make_flat(props={"box": box | {"required_key": "small kay"}, "k1": key})

    assert "k1" == build_world(one).entities[Id("box")].required_key
    assert ["NAME_AMBIGUOUS"] == list_codes(two)
    assert ["REQUIRED_KEY_MISSING"] == list_codes(none)


def test_exits_of_a_wrong_shape_are_found() -> None:
    """An exit is a name or a mapping with `to`."""
    rooms = {"kitchen": {"exits": [3, {"door": "gate"}, "hall"]}, "hall": {"exits": ["kitchen"]}}  # fmt: skip

    assert ["FIELD_MISSING", "WRONG_TYPE"] == sorted(list_codes(make_flat(locations=rooms)))
