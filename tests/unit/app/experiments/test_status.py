from pathlib import Path

import pytest

from saniwa.app.experiments import catalog
from saniwa.app.experiments.catalog import check_status_size, compute_signature
from saniwa.app.experiments.status import open_own_outcomes, read_status
from saniwa.core import extras
from saniwa.core.errors import ExperimentError
from saniwa.experiment.output.output_folder import CELLS
from tests.fakes.experiment_folders import make_experiment
from tests.fakes.experiments import make_plan


def test_what_is_done_is_counted_in_the_order_of_the_plan(tmp_path: Path) -> None:
    """Finished cells are counted in the plan's order."""
    found = read_status(make_experiment(tmp_path, only=5))

    assert 5 == len(found.numbers) == found.gathered.cells
    assert [each.key for each in found.numbers] == [each.numbers.key for each in found.cells]


def test_one_that_has_only_begun_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    """Reading the status of a new experiment creates no folder."""
    experiment = make_experiment(tmp_path, only=0)
    (experiment.folder / CELLS / ".experiment").unlink()
    (experiment.folder / CELLS).rmdir()
    found = read_status(experiment)
    with open_own_outcomes(experiment) as shelf:
        nothing = shelf

    assert ((), None) == (found.numbers, nothing)
    assert not (experiment.folder / CELLS).exists()


def test_without_the_libraries_there_are_numbers_and_no_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the packages for statistics there are numbers, but no analysis."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    found = read_status(make_experiment(tmp_path))

    assert (8, None) == (len(found.numbers), found.analysis)
    assert found.gates
    with pytest.raises(ExperimentError, match="EXTRA_MISSING"):
        found.require_analysis()
    with pytest.raises(ExperimentError, match="EXTRA_MISSING"):
        found.build_material()


def test_the_mark_changes_with_every_cell(tmp_path: Path) -> None:
    """The signature changes with every cell, and only then."""
    experiment = make_experiment(tmp_path)
    before = compute_signature(experiment)
    next((experiment.folder / CELLS).glob("*.json")).unlink()

    assert before != compute_signature(experiment)
    assert compute_signature(experiment) == compute_signature(experiment)


def test_one_that_takes_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status of too many cells is refused."""
    monkeypatch.setattr(catalog, "MOST_CELLS", 7)
    experiment = make_experiment(tmp_path, make_plan(seeds=(0, 1), max_turns=1))

    with pytest.raises(ExperimentError, match="8 cells") as caught:
        check_status_size(experiment)
    assert "PLAN_TOO_LARGE" == caught.value.code
