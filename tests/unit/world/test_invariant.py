from typing import Any

import pytest
from immutables import Map
from msgspec.structs import replace

from saniwa.world.model import Id, World
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.worlds import PLAYER, make_courtyard


def test_a_sound_world_breaks_nothing() -> None:
    """The garden breaks no invariant."""
    assert () == find_broken_invariants(make_courtyard())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"digest": 7}, "digest"),
        ({"contents": Map({Id("yard"): Map({Id("key"): None})})}, "contents of"),
        ({"doors": Map({Id("yard"): (Id("bench"),)})}, "walls of"),
        ({"cast": (PLAYER,)}, "the cast"),
        ({"named": Map({PLAYER: ("somebody",)})}, "names known"),
        ({"turn_order": (Id("bench"),)}, "no character"),
    ],
)
def test_what_is_stored_next_to_the_entities_must_agree_with_them(
    changed: dict[str, Any], said: str
) -> None:
    """An index that disagrees with the entities is reported as a broken invariant."""
    world: World = replace(make_courtyard(), **changed)

    assert any(said in told for told in find_broken_invariants(world))
