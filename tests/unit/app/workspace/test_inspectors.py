from saniwa.app.workspace import MOST_INSPECTORS, Workspace, WorkspacePlaces
from saniwa.core.ids import CountingIds
from saniwa.store.memory_run_store import MemoryRunStore
from tests.fakes.runs import open_courtyard_run, resume_restarted


def test_a_run_has_one_inspector_as_long_as_it_is_open() -> None:
    """A run has one inspector while it is open."""
    store = MemoryRunStore()
    run, lenses = open_courtyard_run(store), Workspace(WorkspacePlaces(store="memory:"))
    lens = lenses.open_inspector(run)

    assert lens is lenses.open_inspector(run)
    assert lens is not lenses.open_inspector(resume_restarted(run, store))


def test_the_least_recently_used_inspector_is_evicted() -> None:
    """The least recently used inspector is evicted."""
    lenses, ids = Workspace(WorkspacePlaces(store="memory:")), CountingIds()
    first, *others = [open_courtyard_run(ids=ids) for _ in range(MOST_INSPECTORS + 1)]
    one, last = (lenses.open_inspector(first), [lenses.open_inspector(run) for run in others][-1])

    assert last is lenses.open_inspector(others[-1])
    assert one is not lenses.open_inspector(first)
