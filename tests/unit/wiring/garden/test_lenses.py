from saniwa.core.ids import CountingIds
from saniwa.store.memory import MemoryStore
from saniwa.wiring.garden.lenses import MOST, Lenses
from tests.fakes.runs import garden_run, resumed


def test_a_run_has_one_lens_as_long_as_it_is_open() -> None:
    """The same run opened anew is looked at anew."""
    store = MemoryStore()
    run, lenses = garden_run(store), Lenses()
    lens = lenses.of(run)

    assert lens is lenses.of(run)
    assert lens is not lenses.of(resumed(run, store))


def test_the_lens_nobody_looked_through_longest_goes() -> None:
    """So many are kept, and no more."""
    lenses, ids = Lenses(), CountingIds()
    first, *others = [garden_run(ids=ids) for _ in range(MOST + 1)]
    one, last = lenses.of(first), [lenses.of(run) for run in others][-1]

    assert last is lenses.of(others[-1])
    assert one is not lenses.of(first)
