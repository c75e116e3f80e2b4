import json
from typing import Any

import pytest

from saniwa.app.experiments.folder import read_outcome
from saniwa.core.errors import StoreError
from saniwa.experiment.cell_outcome import encode_outcome
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import make_plan, pick_cell, play_cell_of, prepare_plan, render_answer

_PLAN = make_plan(max_turns=1)
_CELL = pick_cell(_PLAN, "D")


def _make_outcome_store(**changed: Any) -> MemoryOutcomeStore:
    shelf = MemoryOutcomeStore()
    kept = json.loads(encode_outcome(play_cell_of("D", render_answer("*take the cup*"))))
    shelf.keep(_CELL.key, json.dumps({**kept, **changed}).encode())
    return shelf


def test_what_is_kept_of_a_cell_is_given() -> None:
    """The outcome of a cell is read; a cell that is not done gives None."""
    found = read_outcome(_make_outcome_store(), _CELL, prepare_plan(_PLAN).fingerprint)

    assert found is not None
    assert _CELL.key == found.key
    assert read_outcome(MemoryOutcomeStore(), _CELL) is None


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"key": "other"}, "of the cell 'other'"),
        ({"plan": "0" * 16}, "of the plan '0000000000000000'"),
        ({"condition": "A"}, "of the condition 'A', not 'D'"),
        ({"scenario": "x"}, "of the scenario 'x', not 'house'"),
        ({"seed": 7}, "of the seed 7, not 0"),
        ({"passages": 3}, "it is not an outcome"),
    ],
)
def test_what_is_of_something_else_is_refused(changed: dict[str, Any], told: str) -> None:
    """The outcome of another plan, condition, scenario or seed is refused."""
    with pytest.raises(StoreError) as caught:
        read_outcome(_make_outcome_store(**changed), _CELL, prepare_plan(_PLAN).fingerprint)

    assert ("TRACE_CORRUPT", _CELL.key) == (caught.value.code, caught.value.details["cell"])
    assert told in caught.value.message


def test_what_is_not_a_text_is_no_outcome() -> None:
    """An outcome that is not UTF-8 is corrupt."""
    shelf = MemoryOutcomeStore()
    whole = encode_outcome(play_cell_of("D", render_answer("*take the cup*")))
    # The key is unchanged, so that the store itself finds no fault.
    shelf.keep(_CELL.key, whole.replace(b"take the cup", b"take the \xffup"))

    with pytest.raises(StoreError) as caught:
        read_outcome(shelf, _CELL)
    assert "TRACE_CORRUPT" == caught.value.code
