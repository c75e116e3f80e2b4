import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.entities import GameEntity
from saniwa.integrations.textworld.game_format import Proposition
from saniwa.integrations.textworld.scenario_conversion import (
    build_props,
    get_place,
    read_keys,
    read_map,
    read_places,
    read_states,
)


def _make_page() -> Findings:
    return Findings(make_document({"world": [{}] * 9, "infos": [{}] * 9}))


def _parse_facts(*facts: str) -> list[Proposition]:
    said = []
    for nth, fact in enumerate(facts):
        name, *about = fact.split()
        said.append(Proposition(name, tuple(about), ("world", nth)))
    return said


def _make_entity(id: str, type: str) -> GameEntity:
    return GameEntity(id, type, id.upper(), (), "", ("infos", 0))


def test_hands_are_whose_they_are() -> None:
    """What is in the inventory is held by the player."""
    held, lying = _parse_facts("in o I", "on o s")

    assert ("P", "s") == (get_place(held), get_place(lying))


def test_nothing_is_in_two_places() -> None:
    """A second place of a thing is a finding; the same place twice is not."""
    page = _make_page()

    assert {"o": "s", "c": "r"} == read_places(
        page, _parse_facts("on o s", "at c r", "on o s", "open c", "in o I")
    )
    assert ["world[4]"] == [each.where.path for each in page.build_report().errors]


def test_what_is_not_said_to_be_open_is_closed() -> None:
    """A container or door without a state is closed, with a warning."""
    page = _make_page()
    things = {id: _make_entity(id, id) for id in ("c", "d", "o")}

    assert {"d": "locked", "c": "closed"} == read_states(page, _parse_facts("locked d"), things)
    assert 1 == len(page.build_report().warnings)


def test_one_key_fits_a_lock() -> None:
    """One key may fit two locks; two keys for one lock are a finding."""
    page = _make_page()

    assert {"c": "k", "d": "k"} == read_keys(page, _parse_facts("match k c", "match k d"))
    assert page.passed
    read_keys(page, _parse_facts("match k c", "match l c"))
    assert not page.passed


@pytest.mark.parametrize(
    ("type", "state", "written"),
    [
        ("o", None, {"kind": "item", "location": "r"}),
        ("f", None, {"kind": "item", "location": "r"}),
        ("s", None, {"kind": "supporter", "location": "r"}),
        ("c", "open", {"kind": "container", "open": True, "required_key": "k", "location": "r"}),
        ("c", "locked", {"kind": "container", "locked": True, "required_key": "k", "location": "r"}),
    ],
)  # fmt: skip
def test_an_item_is_written_as_scenarios_write_it(
    type: str, state: str | None, written: dict[str, object]
) -> None:
    """A thing is written with its kind, state, key and place."""
    page = _make_page()
    things = {"x": _make_entity("x", type), "room": _make_entity("room", "r")}
    states = {"x": state} if state is not None else {}

    assert {"x": {"name": "X", **written}} == build_props(
        page, things, read_map(page, []), {"x": "r"}, states, {"x": "k"}
    )


def test_a_door_is_in_a_way() -> None:
    """A door connects two rooms with an exit; otherwise it is a finding."""
    page, door = _make_page(), {"d": _make_entity("d", "d")}
    map = read_map(page, _parse_facts("link a d b", "north_of b a"))

    assert ["a", "b"] == build_props(page, door, map, {}, {"d": "open"}, {})["d"]["connects"]
    assert page.passed
    build_props(page, door, read_map(page, _parse_facts("link a d b")), {}, {"d": "open"}, {})
    assert ["DOOR_SIDES"] == [each.code for each in page.build_report().errors]
