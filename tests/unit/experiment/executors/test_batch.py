import pytest

from saniwa.experiment.ports import CellCompletion
from saniwa.integrations.dask_executor import BATCH_TARGET_MS, MAX_BATCH_CELLS, BatchSizer


def _make_completion(took_ms: int) -> CellCompletion:
    return CellCompletion(key="k", started=0, took_ms=took_ms, worker="")


def test_the_first_batch_is_one_cell() -> None:
    """At the start it is not known how long a cell takes."""
    assert 1 == BatchSizer().size


@pytest.mark.parametrize(
    ("took_ms", "size"),
    [
        (0, MAX_BATCH_CELLS),
        (1, MAX_BATCH_CELLS),
        (25, BATCH_TARGET_MS // 25),
        (BATCH_TARGET_MS, 1),
        (600_000, 1),
    ],
)
def test_a_batch_takes_about_as_long_as_it_should(took_ms: int, size: int) -> None:
    """Quick cells are batched together, slow ones run alone."""
    pace = BatchSizer()
    pace.record_batch([_make_completion(took_ms)] * 4)

    assert size == pace.size


def test_it_continues_learning() -> None:
    """The batch size depends on all cells so far, not only the last."""
    pace = BatchSizer()
    pace.record_batch([_make_completion(10)])
    quick = pace.size
    pace.record_batch([_make_completion(490)])

    assert (50, 2) == (quick, pace.size)
