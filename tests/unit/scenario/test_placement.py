import pytest

from saniwa.world.model import Id
from tests.fakes.scenarios import Plain, build_world, list_codes, list_findings, make_flat


def _make_rooms(kitchen: Plain, hall: Plain | None = None) -> Plain:
    return {"kitchen": {"exits": ["hall"]} | kitchen, "hall": {"exits": ["kitchen"]} | (hall or {})}


def _find_place(document: Plain, thing: str) -> str | None:
    return build_world(document).entities[Id(thing)].place


def test_a_listed_name_is_an_item_in_that_room() -> None:
    """A name in a room's list is an item that can be taken."""
    cup = build_world(make_flat(locations=_make_rooms({"props": ["cup"]}))).entities[Id("cup")]

    assert ("item", "kitchen", True) == (cup.kind, cup.place, cup.takeable)


def test_one_name_listed_and_written_out_is_one_item() -> None:
    """A name in a list and the same name written out are one item."""
    document = make_flat(
        locations=_make_rooms({"props": ["brass key", "cup"]}),
        props={"key": {"name": "brass key"}, "cup": {"description": "Blue."}},
    )

    assert {"Ann", "key", "cup"} == set(build_world(document).entities)
    assert "kitchen" == _find_place(document, "key")


def test_one_name_in_two_lists_is_two_items() -> None:
    """A name in two rooms' lists is two items, the second with a number in its id."""
    document = make_flat(locations=_make_rooms({"props": ["chair"]}, {"props": ["chair"]}))
    found = build_world(document).entities

    assert ("chair", "kitchen") == (found[Id("chair")].name, found[Id("chair")].place)
    assert ("chair", "hall") == (found[Id("chair#2")].name, found[Id("chair#2")].place)


def test_a_number_already_taken_is_passed_over() -> None:
    """A number already used in an id is skipped."""
    document = make_flat(
        locations=_make_rooms({"props": ["chair", "chair#2"]}, {"props": ["chair"]})
    )

    assert {"Ann", "chair", "chair#2", "chair#3"} == set(build_world(document).entities)


def test_a_name_twice_in_one_list_is_one_item_and_a_warning() -> None:
    """A name twice in one list is one item, with a warning."""
    document = make_flat(locations=_make_rooms({"props": ["chair", "chair"]}))

    assert ["PROP_LISTED_TWICE"] == list_codes(document)
    assert {"Ann", "chair"} == set(build_world(document).entities)


def test_containers_hold_what_they_list() -> None:
    """`containers` makes a closed container with its items inside."""
    document = make_flat(
        locations=_make_rooms({"props": ["drawer"], "containers": {"drawer": ["spoon"]}})
    )
    drawer = build_world(document).entities[Id("drawer")]

    assert ("container", True, False) == (drawer.kind, drawer.openable, drawer.open)
    assert "drawer" == _find_place(document, "spoon")


def test_what_is_listed_in_the_room_and_in_a_container_is_in_the_container() -> None:
    """An item listed in the room and in a container is in the container."""
    document = make_flat(
        locations=_make_rooms({"props": ["spoon", "drawer"], "containers": {"drawer": ["spoon"]}})
    )

    assert [] == list_codes(document)
    assert "drawer" == _find_place(document, "spoon")


def test_a_container_may_be_a_supporter_if_it_is_written_out_so() -> None:
    """A written `kind` decides whether a container is a supporter."""
    document = make_flat(
        locations=_make_rooms({"containers": {"table": ["spoon"]}}),
        props={"table": {"kind": "supporter", "location": "kitchen"}},
    )

    assert [] == list_codes(document)
    assert "supporter" == build_world(document).entities[Id("table")].kind


def test_an_unlisted_container_is_there_with_a_warning() -> None:
    """A container missing from the room's list is a warning, as in the original format."""
    document = make_flat(locations=_make_rooms({"containers": {"drawer": []}}))

    assert ["CONTAINER_NOT_IN_PROPS"] == list_codes(document)
    assert "kitchen" == _find_place(document, "drawer")


def test_hidden_objects_are_hidden_until_searched_for() -> None:
    """Hidden objects are in the room, and hidden."""
    document = make_flat(locations=_make_rooms({"hidden_objects": ["ring"]}))
    ring = build_world(document).entities[Id("ring")]

    assert ("kitchen", True) == (ring.place, ring.hidden)


def test_a_hidden_object_in_a_container_needs_no_search() -> None:
    """A hidden object in a container is not hidden once the container is open."""
    document = make_flat(
        locations=_make_rooms(
            {"props": ["drawer"], "containers": {"drawer": ["ring"]}, "hidden_objects": ["ring"]}
        )
    )
    ring = build_world(document).entities[Id("ring")]

    assert ("drawer", False) == (ring.place, ring.hidden)


def test_a_hidden_object_in_the_open_list_is_a_warning() -> None:
    """A hidden object that is also listed openly is a warning, as in the original format."""
    document = make_flat(locations=_make_rooms({"props": ["ring"], "hidden_objects": ["ring"]}))

    assert ["HIDDEN_ALSO_IN_PROPS"] == list_codes(document)


def test_a_red_herring_describes_and_misleads() -> None:
    """A red herring's texts become the description and hint of the thing."""
    herring = {"vase": {"description": "Empty.", "hint": "Look elsewhere."}}
    document = make_flat(locations=_make_rooms({"props": ["vase"], "red_herrings": herring}))
    vase = build_world(document).entities[Id("vase")]

    assert ("Empty.", "Look elsewhere.") == (vase.description, vase.hint)


def test_a_red_herring_must_be_there() -> None:
    """A red herring that is not a thing is a mistake, with the nearest name."""
    document = make_flat(locations=_make_rooms({"props": ["vase"], "red_herrings": {"vaze": {}}}))

    (found,) = list_findings(document)

    assert ("NAME_UNKNOWN", "did you mean 'vase'?") == (found.code, found.hint)


def test_held_items_are_with_their_holder_and_nowhere_else() -> None:
    """An undeclared name in `holding` is a new held item."""
    document = make_flat(
        props={"cup": {}, "pen": {"location": "Ann"}},
        characters={"Ann": {"location": "hall", "holding": ["coin", "cup", "pen"]}},
    )

    assert ("coin", "cup", "pen") == build_world(document).list_contents(Id("Ann"))


_BOX = {"box": {"location": "hall", "contains": ["cup"]}}


@pytest.mark.parametrize(
    "document",
    [
        make_flat(props=_BOX | {"cup": {"location": "hall"}}),
        make_flat(props={"cup": {"location": "hall"}} | _BOX),
        make_flat(props=_BOX | {"cup": {"location": "box"}}),
        make_flat(locations=_make_rooms({}, {"props": ["cup"]}), props=_BOX),
        make_flat(locations=_make_rooms({}, {"props": ["cup", "box"]}), props={"box": {"contains": ["cup"]}}),
        make_flat(locations=_make_rooms({}, {"props": ["box"], "containers": {"box": ["cup"]}}), props={"cup": {"location": "hall"}}),
        make_flat(locations=_make_rooms({}, {"props": ["box", "cup"], "containers": {"box": ["cup"]}}), props={"cup": {"location": "hall"}}),
        make_flat(props={"chest": {"location": "hall", "contains": ["box", "cup"]}, "box": {"contains": ["cup"]}}),
        make_flat(props={"box": {"contains": ["cup"], "location": "chest"}, "chest": {"location": "hall", "contains": ["cup"]}, "cup": {"location": "hall"}}),
    ],
)  # fmt: skip
def test_an_item_may_be_said_to_be_in_a_place_and_in_a_container_there(document: Plain) -> None:
    """An item given a place and a container there is in the innermost container."""
    assert [] == [found.code for found in list_findings(document)]
    assert "box" == _find_place(document, "cup")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (make_flat(locations=_make_rooms({"props": ["cup"]}), characters={"Ann": {"location": "hall", "holding": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(locations=_make_rooms({"props": ["cup"]}), props={"cup": {"location": "hall"}}), "PLACED_TWICE"),
        (make_flat(locations=_make_rooms({"props": ["cup"]}, {"props": ["cup"]}), props={"cup": {}}), "PLACED_TWICE"),
        (make_flat(props={"cup": {"location": "kitchen"}, "box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(props={"cup": {"location": "bag"}, "bag": {"kind": "container", "location": "hall"}, "box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(props={"a": {"location": "hall", "contains": ["cup"]}, "b": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(locations=_make_rooms({"props": ["cup"]}), props={"box": {"location": "hall", "contains": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(locations=_make_rooms({}, {"containers": {"box": ["cup"]}, "props": ["box"]}), props={"cup": {"location": "kitchen"}}), "PLACED_TWICE"),
        (make_flat(locations=_make_rooms({}, {"containers": {"box": ["cup"]}, "props": ["box"]}), props={"cup": {"location": "bag"}, "bag": {"kind": "container", "location": "hall"}}), "PLACED_TWICE"),
        (make_flat(props={"box": {"location": "hall", "contains": ["cup"]}}, characters={"Ann": {"location": "hall", "holding": ["cup"]}}), "PLACED_TWICE"),
        (make_flat(characters={"Ann": {"location": "hall", "holding": ["cup"]}, "Ben": {"location": "hall", "holding": ["cup"]}}), "HELD_BY_TWO"),
        (make_flat(characters={"Ann": {"location": "hall", "holding": ["cup", "cup"]}}), "PROP_LISTED_TWICE"),
        (make_flat(props={"cup": {}}), "OBJ_LOCATION_MISSING"),
        (make_flat(props={"cup": {"location": "halle"}}), "OBJ_LOCATION_MISSING"),
        (make_flat(props={"cup": {"location": "hall"}, "pea": {"location": "cup"}}), "NOT_A_HOLDER"),
        (make_flat(props={"a": {"location": "a", "kind": "container"}}), "CONTAINER_CYCLE"),
        (make_flat(props={"a": {"location": "b", "kind": "container"}, "b": {"location": "a", "kind": "supporter"}}), "CONTAINER_CYCLE"),
        (make_flat(characters={"Ann": {}}), "CHAR_LOCATION_MISSING"),
        (make_flat(locations=_make_rooms({"props": ["Ann"]})), "ID_COLLISION"),
        (make_flat(locations=_make_rooms({"props": ["hall"]})), "ID_COLLISION"),
        (make_flat(props={"hall": {"location": "kitchen"}}), "ID_COLLISION"),
        (make_flat(props={"café": {"location": "hall"}, "cafe\u0301": {"location": "hall"}}), "ID_COLLISION"),
    ],
)  # fmt: skip
def test_what_cannot_be_placed_is_found(document: Plain, code: str) -> None:
    """An item in two places, or in one that cannot hold it, is a mistake."""
    assert [code] == list_codes(document)


def test_off_stage_is_said_with_null() -> None:
    """A null location means off stage."""
    document = make_flat(
        props={"cup": {"location": None}},
        characters={"Ann": {"location": "hall"}, "Ben": {"location": None}},
    )

    assert [] == list_codes(document)
    assert (None, None) == (_find_place(document, "cup"), _find_place(document, "Ben"))


def test_contains_is_the_same_as_the_location_of_what_is_inside() -> None:
    """The original format's `is_container` and `contains` make a container."""
    document = make_flat(
        props={
            "box": {"location": "hall", "is_container": True, "contains": ["pea", "pin"]},
            "pin": {"location": "box"},
        }
    )

    assert "container" == build_world(document).entities[Id("box")].kind
    assert ("box", "box") == (_find_place(document, "pea"), _find_place(document, "pin"))


def test_a_ring_of_containers_is_reported_once() -> None:
    """A cycle of containers is one finding, however long it is."""
    props = {f"b{i}": {"location": f"b{(i + 1) % 50}", "kind": "container"} for i in range(50)}

    (found,) = list_findings(make_flat(props=props))

    assert "CONTAINER_CYCLE" == found.code
    assert "'b0' in 'b1' in" in found.message
