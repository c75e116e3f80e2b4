"""For any world: its snapshot, sent as JSON, restores to an equal one."""

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from saniwa.app.scenario_lookup import load_book_layers, locate_shipped_registry, open_scenario
from saniwa.core.errors import SchemaValidationError
from saniwa.rulebook.book import add_manners
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.rulebook.loader import build_rulebook
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.fingerprint import compute_fingerprint, compute_world_hash
from saniwa.world.model import KINDS, World
from saniwa.world.snapshot import restore_world, take_snapshot
from tests.fakes.nightly import scale_examples
from tests.fakes.scenarios import Plain
from tests.properties.test_scenario_documents import _LIKELY, _SCENARIOS

_SHIPPED = [entry.scenario_id for entry in Registry.open(locate_shipped_registry()).entries]
_NAMES = st.text("abc_é鍵", max_size=3)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=5,
)
"""Values with exactly one JSON text, as every fact of a world must be."""
_ATTRIBUTES = st.dictionaries(_NAMES, _VALUES, max_size=3)


def _send_as_json(document: Plain) -> Plain:
    """The document as read from a file: equal, and without objects of this program."""
    sent: Plain = json.loads(json.dumps(document))
    return sent


def _restore_sent(world: World) -> World:
    return restore_world(_send_as_json(take_snapshot(world)))


def _assert_same(world: World, restored: World) -> None:
    assert world == restored
    assert compute_fingerprint(world) == compute_fingerprint(restored)
    assert compute_world_hash(world) == compute_world_hash(restored)
    assert json.dumps(take_snapshot(world)) == json.dumps(take_snapshot(restored))


@pytest.mark.parametrize("name", _SHIPPED)
@given(data=st.data())
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_shipped_scenario_restores_everywhere(name: str, data: st.DataObject) -> None:
    """A snapshot restores any shipped world, also after several actions."""
    scenario = open_scenario(name, locate_shipped_registry())
    book = build_rulebook(load_book_layers(scenario))
    world = add_manners(scenario.world, book)
    for number in range(data.draw(st.integers(0, 6))):
        who = data.draw(st.sampled_from(world.cast))
        deeds = find_admissible_actions(world, who, book)
        if deeds:
            deed = data.draw(st.sampled_from(deeds))
            words = SpokenWords(actor_id=who, text="", number=number)
            _, world = play_turn(words, [deed], world, book)

    _assert_same(scenario.world, _restore_sent(scenario.world))
    _assert_same(world, add_manners(_restore_sent(world), book))


@given(_LIKELY | _SCENARIOS)
@settings(
    max_examples=scale_examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_every_scenario_that_opens_restores(document: Plain) -> None:
    """Every scenario that loads can be restored from a snapshot, also with defaults written out."""
    try:
        world = load_scenario(_send_as_json(document)).world
    except SchemaValidationError:
        assume(False)

    _assert_same(world, _restore_sent(world))


@pytest.mark.parametrize(
    "kind", [None, *(kind for kind in KINDS if kind not in ("door", "character"))]
)
@given(attributes=_ATTRIBUTES)
@settings(max_examples=scale_examples(20), deadline=None)
def test_a_written_kind_and_any_facts_of_the_author_restore(
    kind: str | None, attributes: dict[str, object]
) -> None:
    """`kind: item` is the default; writing it out changes nothing in the world."""
    written = {} if kind is None else {"kind": kind}
    thing = {"location": "hall", "attributes": attributes} | written
    document: Plain = {
        "name": "x",
        "locations": {"hall": {}},
        "characters": {"ann": {"location": "hall"}},
        "props": {"thing": thing},
    }
    world = load_scenario(_send_as_json(document)).world

    _assert_same(world, _restore_sent(world))
    assert compute_fingerprint(world) == compute_fingerprint(load_scenario(document).world)
