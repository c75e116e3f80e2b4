from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.app.experiments.folder import create_experiment, find_experiment, find_unplayable
from saniwa.core.clock import FixedClock
from saniwa.core.errors import StoreError
from saniwa.experiment.plan import PreparedPlan
from tests.fakes.experiments import HOUSE, prepare_plan


def _replace_document(document: dict[str, Any]) -> PreparedPlan:
    made = prepare_plan()
    setting = msgspec.structs.replace(made.settings["house"], document=document)
    return msgspec.structs.replace(made, settings={"house": setting})


def test_what_was_prepared_can_be_played() -> None:
    """Every prepared scenario can be opened with every rulebook."""
    assert [] == list(find_unplayable(prepare_plan()))


@pytest.mark.parametrize("document", [{}, {**HOUSE, "characters": {"ann": 3}}])
def test_a_document_that_is_not_a_scenario_is_reported(
    tmp_path: Path, document: dict[str, Any]
) -> None:
    """A document that is not a scenario is reported when the experiment is found."""
    made = _replace_document(document)
    found = create_experiment(made, tmp_path, FixedClock())

    assert all("the scenario 'house'" in each for each in find_unplayable(made))
    with pytest.raises(StoreError) as caught:
        find_experiment(str(found.folder))
    assert "STORE_UNREADABLE" == caught.value.code


def test_a_book_that_is_invalid_is_reported() -> None:
    """Layers that give no rulebook are reported."""
    made = msgspec.structs.replace(prepare_plan(), books={"house": {"": ({"rules": 3},)}})

    assert 1 == len(list(find_unplayable(made)))
