import sys

import pytest

from saniwa.core.errors import ExperimentError
from saniwa.experiment.metrics import judge_gates
from saniwa.experiment.statistics.analysis import analyse_experiment
from tests.fakes.cell_numbers import make_numbers
from tests.fakes.experiments import make_plan

_RETRIED = make_numbers(retries=1, retried_turns=1, retry_successes=1, silent_corrections=1)


def test_gates_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates are simple arithmetic and work without the extra libraries."""
    for package in ("scipy", "statsmodels", "numpy"):
        monkeypatch.setitem(sys.modules, package, None)

    assert all(gate.passed for gate in judge_gates(make_plan("D"), [_RETRIED]))


@pytest.mark.parametrize("package", ["scipy", "statsmodels"])
def test_a_missing_library_is_named_with_its_command(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its libraries an analysis is an error that says what to install."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ExperimentError, match=package) as met:
        analyse_experiment(make_plan(), [])

    assert ("EXTRA_MISSING", "pip install 'saniwa[report]'") == (met.value.code, met.value.hint)
