from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.entities import GameEntity
from saniwa.integrations.textworld.game_format import Proposition
from saniwa.integrations.textworld.scenario_conversion import build_locations, read_map


def _make_page() -> Findings:
    return Findings(make_document({"world": [{}] * 9}))


def _parse_facts(*facts: str) -> list[Proposition]:
    said = []
    for nth, fact in enumerate(facts):
        name, *about = fact.split()
        said.append(Proposition(name, tuple(about), ("world", nth)))
    return said


def _make_room(id: str, description: str = "", *aliases: str) -> GameEntity:
    return GameEntity(id, "r", f"the {id}", aliases, description, ("infos", 0))


ROOMS = {id: _make_room(id) for id in ("a", "b")}


def test_a_way_leads_there_and_back() -> None:
    """An exit leads in both directions."""
    found = read_map(_make_page(), _parse_facts("north_of b a", "free a b"))

    assert {("a", "north"): "b", ("b", "south"): "a"} == found.ways
    assert not found.is_passable("a", "b")
    assert read_map(_make_page(), _parse_facts("free a b", "free b a")).is_passable("b", "a")


def test_a_door_is_described_by_a_link_or_by_the_way_itself() -> None:
    """A door in a `link` fact or an exit connects two rooms, from both sides."""
    for fact in ("link b d a", "north_of/d b d a"):
        found = read_map(_make_page(), _parse_facts(fact))
        assert {("a", "b"): "d", ("b", "a"): "d"} == found.doors
        assert {"d": ("a", "b")} == found.sides


def test_rooms_become_locations() -> None:
    """Rooms become locations with exits by direction."""
    rooms = {"a": _make_room("a", "Cold.", "hall"), "b": _make_room("b")}
    map = read_map(_make_page(), _parse_facts("east_of b a", "free a b", "free b a"))

    assert {
        "a": {"name": "the a", "description": "Cold.", "aliases": ["hall"], "exits": {"east": "b"}},
        "b": {"name": "the b", "exits": {"west": "a"}},
    } == build_locations(_make_page(), map, rooms, {})


def test_a_door_is_in_both_exits() -> None:
    """A door is in both exits; a closed door and a `free` exit contradict each other."""
    said = _parse_facts("east_of b a", "link a d b", "free a b", "free b a")
    page, shut = _make_page(), _make_page()

    assert {"east": {"to": "b", "door": "d"}} == (
        build_locations(page, read_map(page, said), ROOMS, {"d": "open"})["a"]["exits"]
    )
    assert page.passed
    build_locations(shut, read_map(shut, said), ROOMS, {"d": "closed"})
    assert {"STATE_CONTRADICTION"} == {each.code for each in shut.build_report().errors}


def test_a_way_that_is_barred_for_good_is_left_out() -> None:
    """An exit without a door that is not free is left out, with a warning."""
    page = _make_page()

    assert (
        "exits"
        not in build_locations(page, read_map(page, _parse_facts("east_of b a")), ROOMS, {})["a"]
    )
    assert 2 == len(page.build_report().warnings)
