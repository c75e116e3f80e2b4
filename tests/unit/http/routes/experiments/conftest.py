from pathlib import Path

import pytest

from tests.fakes.experiment_folders import make_experiment
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> ExperimentReader:
    """A reader of one experiment: two seeds, four conditions, two turns."""
    folder: Path = tmp_path_factory.mktemp("garden")
    make_experiment(folder / "results")
    return ExperimentReader(folder)
