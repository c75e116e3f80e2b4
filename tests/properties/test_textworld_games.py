"""Any document gives a report, however a game file was damaged."""

import copy
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from saniwa.documents.document import make_document
from saniwa.integrations.textworld.importer import import_game
from saniwa.scenario.loader import load_scenario
from tests.fakes.nightly import scale_examples
from tests.fakes.textworld import make_small_game

_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "P", "I", "r_0", "r", "c_0", "o", "open", "\x1b", "[if a]"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "type", "arguments", "id"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def _spoil_value(value: Any, way: list[int], new: Any) -> Any:
    """The value with one part of it replaced, found by following the path."""
    if not way or not isinstance(value, dict | list) or not value:
        return new
    keys = sorted(value) if isinstance(value, dict) else range(len(value))
    key = list(keys)[way[0] % len(value)]
    value[key] = _spoil_value(value[key], way[1:], new)
    return value


@settings(max_examples=scale_examples(300))
@example([([2, 0, 1, 178], [None])])
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 200), min_size=1, max_size=8), _VALUES),
        min_size=1,
        max_size=3,
    )
)
def test_a_damaged_game_gives_findings_or_a_sound_scenario(
    spoilings: list[tuple[list[int], Any]],
) -> None:
    """Nothing raises; an import that passes gives a scenario that loads."""
    game = copy.deepcopy(json.loads(make_small_game()))
    for way, new in spoilings:
        game = _spoil_value(game, way, new)

    imported = import_game(make_document(game), "game")

    assert imported.report.has_passed == (imported.scenario is not None)
    if imported.scenario is not None:
        assert "game" == load_scenario(imported.scenario).id
