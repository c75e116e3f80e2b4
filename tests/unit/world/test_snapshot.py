from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import TurnError
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import KINDS, Entity, Id, Kind, copy_written_kind
from saniwa.world.snapshot import restore_world, take_snapshot
from tests.fakes.worlds import make_courtyard


def _copy_document(document: dict[str, Any]) -> dict[str, Any]:
    twin: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    return twin


def test_a_restored_world_is_the_world_that_was() -> None:
    """A world restored from the JSON of its snapshot is equal to the original."""
    restored = restore_world(_copy_document(take_snapshot(make_courtyard())))

    assert make_courtyard() == restored
    assert compute_fingerprint(make_courtyard()) == compute_fingerprint(restored)


@pytest.mark.parametrize("kind", KINDS)
def test_a_written_kind_is_the_same_everywhere(kind: Kind) -> None:
    """A kind that equals the default is stored, whichever string object it is."""
    told = {
        msgspec.json.encode(Entity(id=Id("a"), name="a", kind=copy_written_kind(each)))
        for each in (kind, kind.encode().decode())
    }

    assert 1 == len(told)
    assert kind.encode() in told.pop()


def test_a_held_item_has_no_location_on_the_wire() -> None:
    """A held thing is in the inventory and has no location, as the world contract requires."""
    document = _copy_document(take_snapshot(make_courtyard()))
    del document["entities"]["key"]["locationId"]
    document["inventory"]["player"] = ["key"]
    del document["fingerprint"]

    again = take_snapshot(restore_world(document))

    assert "locationId" not in again["entities"]["key"]
    assert ["key"] == again["inventory"]["player"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("entities", "key", "locationId"), "nowhere", "does not exist"),
        (("entities", "key", "locationId"), "well", "cannot hold things"),
        (("entities", "chest", "locationId"), "chest", "inside itself"),
        (("entities", "gate", "open"), True, "locked but not closed"),
        (("entities", "bench", "open"), False, "cannot be opened"),
        (("entities", "keeper", "locationId"), "bench", "only be in a place"),
        (("entities", "gate", "connects"), None, "must connect two places"),
        (("entities", "gate", "connects"), ["yard", "moon"], "does not exist"),
        (("entities", "gate", "connects"), ["yard", "shed"], "does not join"),
        (("entities", "key", "id"), "other", "calls itself 'other'"),
        (("locations", "yard", "id"), "other", "calls itself 'other'"),
        (("locations", "shed", "exits"), [{"to": "moon"}], "'moon', which does not exist"),
        (("entities", "yard"), {"name": "yard"}, "both a thing and a place"),
        (("protagonist",), "bench", "is no character"),
        (("turnOrder",), ["keeper", "nobody"], "is no character"),
        (("inventory", "player"), ["key"], "held and is also"),
        (("inventory",), {"player": ["key"], "keeper": ["key"]}, "held twice"),
        (("inventory",), {"nobody": []}, "names 'nobody'"),
        (("inventory",), {"player": ["moon"]}, "names 'moon'"),
        (("entities", "key", "wings"), 2, "wings"),
        (("entities", "key", "name"), 2, "name"),
        (("flags",), {"a": 1}, "flags"),
        (("version",), 99, "version 99"),
        (("entites",), {}, "not part of a snapshot"),
        (("fingerprint",), "0000000000000000", "fingerprint"),
    ],
)
def test_what_describes_no_world_is_refused(path: tuple[str, ...], value: Any, said: str) -> None:
    """A snapshot of an invalid world is refused, and the error names the fault."""
    document = _copy_document(take_snapshot(make_courtyard()))
    if path[0] != "fingerprint":
        del document["fingerprint"]
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value

    with pytest.raises(TurnError) as caught:
        restore_world(document)

    assert "SNAPSHOT_INVALID" == caught.value.code
    assert said in str(caught.value) + str(caught.value.details) or path[-1] in said


def test_the_nearest_key_is_offered() -> None:
    """A misspelt key of a snapshot gets the right one as a hint."""
    with pytest.raises(TurnError) as caught:
        restore_world({"entites": {}})

    assert "'entities'" in caught.value.hint


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["entities", "locations", "inventory", "id", "name", "exits", "a"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(_JSON)
def test_any_json_is_a_world_or_a_clear_error(document: object) -> None:
    """Restoring any JSON document gives a world or SNAPSHOT_INVALID."""
    try:
        world = restore_world(document)
    except TurnError:
        return
    assert world == restore_world(_copy_document(take_snapshot(world)))
