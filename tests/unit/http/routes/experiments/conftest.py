from pathlib import Path

import pytest

from tests.fakes.results import kept_in
from tests.unit.http.routes.experiments.asking import Reader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Somebody who reads of one experiment: two seeds, four conditions, two turns."""
    folder: Path = tmp_path_factory.mktemp("garden")
    kept_in(folder / "results")
    return Reader(folder)
