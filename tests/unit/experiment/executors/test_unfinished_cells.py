from saniwa.experiment.plan import iterate_cells
from saniwa.experiment.ports import find_unfinished_cells
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.cell_executors import make_trial
from tests.fakes.cell_writer import make_outcome


def test_finished_cells_are_left_out() -> None:
    """Cells in the store are not started again; the rest keep their order."""
    plan, shelf = make_trial(2).plan, MemoryOutcomeStore()
    cells = list(iterate_cells(plan))
    for cell in (cells[0], cells[5]):
        shelf.keep(cell.key, make_outcome(cell.key))

    assert [*cells[1:5], *cells[6:]] == list(find_unfinished_cells(plan, shelf))
