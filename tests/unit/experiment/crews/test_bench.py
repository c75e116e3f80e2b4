from saniwa.experiment.cell import cells_of
from saniwa.experiment.crews.bench import cells_left
from saniwa.store.cells.memory import MemoryCells
from tests.fakes.cell_keeper import outcome
from tests.fakes.crews import trial


def test_finished_cells_are_left_out() -> None:
    """What is on the shelf is not begun again; the rest keeps its order."""
    plan, shelf = trial(2).plan, MemoryCells()
    cells = list(cells_of(plan))
    for cell in (cells[0], cells[5]):
        shelf.keep(cell.key, outcome(cell.key))

    assert [*cells[1:5], *cells[6:]] == list(cells_left(plan, shelf))
