from pathlib import Path

import pytest

from tests.house.notebooks import read_cells, run_cells
from tests.house.pages import ROOT

_NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


def test_there_are_notebooks() -> None:
    """The test below finds the notebooks that users open."""
    assert ROOT / "docs" / "tutorials" / "experiment.ipynb" in _NOTEBOOKS


@pytest.mark.parametrize("page", _NOTEBOOKS, ids=lambda page: page.stem)
def test_a_notebook_shows_what_its_cells_give(page: Path) -> None:
    """Every code cell runs, in order, and prints what is stored below it."""
    cells = read_cells(page)

    assert [shown for _, shown in cells] == run_cells([code for code, _ in cells], page.name)
