import re

from saniwa.core.clock import FixedClock, SystemClock
from saniwa.core.ids import CountingIds, TimeOrderedIds


def test_a_fixed_clock_moves_only_by_its_tick() -> None:
    """Two runs on fixed clocks see the same times."""
    clock = FixedClock(start=5, tick=10)

    assert [5, 15, 25] == [clock.now() for _ in range(3)]


def test_the_system_clock_shows_milliseconds() -> None:
    """The system clock is after 2020 and before 2200, in milliseconds."""
    assert 1_577_836_800_000 < SystemClock().now() < 7_258_118_400_000


def test_ids_have_the_published_shape_and_rise() -> None:
    """An id is its prefix and a UUIDv7, and sorts after the one before it."""
    shape = r"run-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    ids, counting = TimeOrderedIds(), CountingIds()
    made = [ids.create_id("run") for _ in range(100)]

    assert all(re.fullmatch(shape, name) for name in [*made, counting.create_id("run")])
    assert sorted(set(made)) == made
    assert counting.create_id("run") > CountingIds().create_id("run")
