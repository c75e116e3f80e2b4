import pytest

from saniwa.app.run_stores import find_run
from saniwa.core.errors import StoreError
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.run_id_lookup import LAST
from tests.fakes.records import make_record


def test_the_last_run_is_the_one_that_was_started_last() -> None:
    """The last run is the one that was started last, even if the clock was set back."""
    store = MemoryRunStore()
    store.create(make_record("run-b", created=9))
    store.create(make_record("run-a", created=5))

    assert "run-a" == find_run(store, LAST)
    assert "run-b" == find_run(store, "run-b")


def test_where_no_run_is_none_is_the_last() -> None:
    """Without runs, `last` is an error with a hint."""
    with pytest.raises(StoreError, match="there are no runs yet") as told:
        find_run(MemoryRunStore(), LAST)

    assert "RUN_NOT_FOUND" == told.value.code
