import pytest

from saniwa.world.model import Id
from tests.fakes.scenarios import Plain, codes, findings, flat, world


def _rooms(kitchen: Plain, hall: Plain | None = None) -> Plain:
    return {"kitchen": {"exits": ["hall"]} | kitchen, "hall": {"exits": ["kitchen"]} | (hall or {})}


def _place(document: Plain, thing: str) -> str | None:
    return world(document).entities[Id(thing)].place


def test_a_listed_name_is_an_item_in_that_room() -> None:
    """The short form makes a thing that can be taken."""
    cup = world(flat(locations=_rooms({"props": ["cup"]}))).entities[Id("cup")]

    assert ("item", "kitchen", True) == (cup.kind, cup.place, cup.takeable)


def test_one_name_listed_and_written_out_is_one_thing() -> None:
    """The list says where it is, the long form what it is like."""
    document = flat(
        locations=_rooms({"props": ["brass key", "cup"]}),
        props={"key": {"name": "brass key"}, "cup": {"description": "Blue."}},
    )

    assert {"Ann", "key", "cup"} == set(world(document).entities)
    assert "kitchen" == _place(document, "key")


def test_one_name_in_two_lists_is_two_things() -> None:
    """The second gets a number in its id and keeps its name."""
    document = flat(locations=_rooms({"props": ["chair"]}, {"props": ["chair"]}))
    found = world(document).entities

    assert ("chair", "kitchen") == (found[Id("chair")].name, found[Id("chair")].place)
    assert ("chair", "hall") == (found[Id("chair#2")].name, found[Id("chair#2")].place)


def test_a_number_already_taken_is_passed_over() -> None:
    """No thing takes another one's id."""
    document = flat(locations=_rooms({"props": ["chair", "chair#2"]}, {"props": ["chair"]}))

    assert {"Ann", "chair", "chair#2", "chair#3"} == set(world(document).entities)


def test_a_name_twice_in_one_list_is_one_thing_and_a_warning() -> None:
    """Nobody can tell two such things apart."""
    document = flat(locations=_rooms({"props": ["chair", "chair"]}))

    assert ["PROP_LISTED_TWICE"] == codes(document)
    assert {"Ann", "chair"} == set(world(document).entities)


def test_containers_hold_what_they_list() -> None:
    """`containers` makes a closed container and puts its items inside."""
    document = flat(locations=_rooms({"props": ["drawer"], "containers": {"drawer": ["spoon"]}}))
    drawer = world(document).entities[Id("drawer")]

    assert ("container", True, False) == (drawer.kind, drawer.openable, drawer.open)
    assert "drawer" == _place(document, "spoon")


def test_what_is_listed_in_the_room_and_in_a_container_is_in_the_container() -> None:
    """The container says it more exactly."""
    document = flat(
        locations=_rooms({"props": ["spoon", "drawer"], "containers": {"drawer": ["spoon"]}})
    )

    assert [] == codes(document)
    assert "drawer" == _place(document, "spoon")


def test_a_container_may_be_a_supporter_if_it_is_written_out_so() -> None:
    """`kind` has the last word on what a container is."""
    document = flat(
        locations=_rooms({"containers": {"table": ["spoon"]}}),
        props={"table": {"kind": "supporter", "location": "kitchen"}},
    )

    assert [] == codes(document)
    assert "supporter" == world(document).entities[Id("table")].kind


def test_a_container_nobody_listed_is_there_with_a_warning() -> None:
    """The origin's lint is kept."""
    document = flat(locations=_rooms({"containers": {"drawer": []}}))

    assert ["CONTAINER_NOT_IN_PROPS"] == codes(document)
    assert "kitchen" == _place(document, "drawer")


def test_hidden_objects_are_hidden_until_searched_for() -> None:
    """They lie in the room and are not noticed."""
    document = flat(locations=_rooms({"hidden_objects": ["ring"]}))
    ring = world(document).entities[Id("ring")]

    assert ("kitchen", True) == (ring.place, ring.hidden)


def test_a_hidden_object_in_a_container_needs_no_search() -> None:
    """The container hides it; opening that is enough."""
    document = flat(
        locations=_rooms(
            {"props": ["drawer"], "containers": {"drawer": ["ring"]}, "hidden_objects": ["ring"]}
        )
    )
    ring = world(document).entities[Id("ring")]

    assert ("drawer", False) == (ring.place, ring.hidden)


def test_a_hidden_object_in_the_open_list_is_a_warning() -> None:
    """The origin's lint is kept."""
    document = flat(locations=_rooms({"props": ["ring"], "hidden_objects": ["ring"]}))

    assert ["HIDDEN_ALSO_IN_PROPS"] == codes(document)


def test_a_red_herring_describes_and_misleads() -> None:
    """Its words go to the thing that misleads."""
    herring = {"vase": {"description": "Empty.", "hint": "Look elsewhere."}}
    document = flat(locations=_rooms({"props": ["vase"], "red_herrings": herring}))
    vase = world(document).entities[Id("vase")]

    assert ("Empty.", "Look elsewhere.") == (vase.description, vase.hint)


def test_a_red_herring_must_be_there() -> None:
    """A herring that is nothing is a mistake, with the nearest name."""
    document = flat(locations=_rooms({"props": ["vase"], "red_herrings": {"vaze": {}}}))

    (found,) = findings(document)

    assert ("NAME_UNKNOWN", "did you mean 'vase'?") == (found.code, found.hint)


def test_held_things_are_with_their_holder_and_nowhere_else() -> None:
    """A name in `holding` that nobody declared is a new item."""
    document = flat(
        props={"cup": {}, "pen": {"location": "Ann"}},
        characters={"Ann": {"location": "hall", "holding": ["coin", "cup", "pen"]}},
    )

    assert ("coin", "cup", "pen") == world(document).list_contents(Id("Ann"))


_BOX = {"box": {"location": "hall", "contains": ["cup"]}}


@pytest.mark.parametrize(
    "document",
    [
        flat(props=_BOX | {"cup": {"location": "hall"}}),
        flat(props={"cup": {"location": "hall"}} | _BOX),
        flat(props=_BOX | {"cup": {"location": "box"}}),
        flat(locations=_rooms({}, {"props": ["cup"]}), props=_BOX),
        flat(locations=_rooms({}, {"props": ["cup", "box"]}), props={"box": {"contains": ["cup"]}}),
        flat(locations=_rooms({}, {"props": ["box"], "containers": {"box": ["cup"]}}), props={"cup": {"location": "hall"}}),
        flat(locations=_rooms({}, {"props": ["box", "cup"], "containers": {"box": ["cup"]}}), props={"cup": {"location": "hall"}}),
        flat(props={"chest": {"location": "hall", "contains": ["box", "cup"]}, "box": {"contains": ["cup"]}}),
        flat(props={"box": {"contains": ["cup"], "location": "chest"}, "chest": {"location": "hall", "contains": ["cup"]}, "cup": {"location": "hall"}}),
    ],
)  # fmt: skip
def test_a_thing_may_be_said_to_be_in_a_place_and_in_a_container_there(document: Plain) -> None:
    """Both are so: the container says it more exactly, the innermost most exactly."""
    assert [] == [found.code for found in findings(document)]
    assert "box" == _place(document, "cup")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (flat(locations=_rooms({"props": ["cup"]}), characters={"Ann": {"location": "hall", "holding": ["cup"]}}), "PLACED_TWICE"),
        (flat(locations=_rooms({"props": ["cup"]}), props={"cup": {"location": "hall"}}), "PLACED_TWICE"),
        (flat(locations=_rooms({"props": ["cup"]}, {"props": ["cup"]}), props={"cup": {}}), "PLACED_TWICE"),
        (flat(props={"cup": {"location": "kitchen"}, "box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (flat(props={"cup": {"location": "bag"}, "bag": {"kind": "container", "location": "hall"}, "box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (flat(props={"a": {"location": "hall", "contains": ["cup"]}, "b": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (flat(locations=_rooms({"props": ["cup"]}), props={"box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (flat(locations=_rooms({}, {"containers": {"box": ["cup"]}, "props": ["box"]}), props={"cup": {"location": "kitchen"}}), "PLACED_TWICE"),
        (flat(locations=_rooms({}, {"containers": {"box": ["cup"]}, "props": ["box"]}), props={"cup": {"location": "bag"}, "bag": {"kind": "container", "location": "hall"}}), "PLACED_TWICE"),
        (flat(props={"box": {"location": "hall", "contains": ["cup"]}}, characters={"Ann": {"location": "hall", "holding": ["cup"]}}), "PLACED_TWICE"),
        (flat(characters={"Ann": {"location": "hall", "holding": ["cup"]}, "Ben": {"location": "hall", "holding": ["cup"]}}), "HELD_BY_TWO"),
        (flat(characters={"Ann": {"location": "hall", "holding": ["cup", "cup"]}}), "PROP_LISTED_TWICE"),
        (flat(props={"cup": {}}), "OBJ_LOCATION_MISSING"),
        (flat(props={"cup": {"location": "halle"}}), "OBJ_LOCATION_MISSING"),
        (flat(props={"cup": {"location": "hall"}, "pea": {"location": "cup"}}), "NOT_A_HOLDER"),
        (flat(props={"a": {"location": "a", "kind": "container"}}), "CONTAINER_CYCLE"),
        (flat(props={"a": {"location": "b", "kind": "container"}, "b": {"location": "a", "kind": "supporter"}}), "CONTAINER_CYCLE"),
        (flat(characters={"Ann": {}}), "CHAR_LOCATION_MISSING"),
        (flat(locations=_rooms({"props": ["Ann"]})), "ID_COLLISION"),
        (flat(locations=_rooms({"props": ["hall"]})), "ID_COLLISION"),
        (flat(props={"hall": {"location": "kitchen"}}), "ID_COLLISION"),
        (flat(props={"café": {"location": "hall"}, "cafe\u0301": {"location": "hall"}}), "ID_COLLISION"),
    ],
)  # fmt: skip
def test_what_cannot_be_placed_is_found(document: Plain, code: str) -> None:
    """Every thing is in one place that exists and can hold it."""
    assert [code] == codes(document)


def test_off_stage_is_said_with_null() -> None:
    """Null is a place of its own: nowhere, until somebody is introduced."""
    document = flat(
        props={"cup": {"location": None}},
        characters={"Ann": {"location": "hall"}, "Ben": {"location": None}},
    )

    assert [] == codes(document)
    assert (None, None) == (_place(document, "cup"), _place(document, "Ben"))


def test_contains_is_the_same_as_the_location_of_what_is_inside() -> None:
    """The origin's `is_container` and `contains` make a container."""
    document = flat(
        props={
            "box": {"location": "hall", "is_container": True, "contains": ["pea", "pin"]},
            "pin": {"location": "box"},
        }
    )

    assert "container" == world(document).entities[Id("box")].kind
    assert ("box", "box") == (_place(document, "pea"), _place(document, "pin"))


def test_a_ring_of_containers_is_told_once() -> None:
    """However long the ring, it is one finding that names it."""
    props = {f"b{i}": {"location": f"b{(i + 1) % 50}", "kind": "container"} for i in range(50)}

    (found,) = findings(flat(props=props))

    assert "CONTAINER_CYCLE" == found.code
    assert "'b0' in 'b1' in" in found.message
