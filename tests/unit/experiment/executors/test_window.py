import asyncio

import pytest

from saniwa.experiment.in_process_executor import TaskWindow


async def _give(value: int, *, after: asyncio.Event | None = None) -> int:
    if after is not None:
        await after.wait()
    return value


async def _fail() -> int:
    raise ValueError("no")


def test_results_come_in_the_order_they_were_started() -> None:
    """Results that are ready together are returned in the order they were started."""

    async def collect_results() -> list[int]:
        window = TaskWindow[int]()
        for value in (3, 1, 2):
            window.begin_task(_give(value))
        await asyncio.sleep(0)
        return await window.collect_finished()

    assert [3, 1, 2] == asyncio.run(collect_results())


def test_one_task_that_waits_keeps_no_other_back() -> None:
    """Finished results are returned while the rest continue."""

    async def collect_results() -> tuple[list[int], int, list[int]]:
        late = asyncio.Event()
        window = TaskWindow[int]()
        window.begin_task(_give(1, after=late))
        window.begin_task(_give(2))
        first, left = await window.collect_finished(), len(window)
        late.set()
        return first, left, await window.collect_finished()

    assert ([2], 1, [1]) == asyncio.run(collect_results())


def test_a_failure_is_raised_after_what_was_finished() -> None:
    """After a failure nothing more is started, and every finished result is returned first."""

    async def collect_results() -> tuple[list[int], int]:
        window = TaskWindow[int]()
        window.begin_task(_fail())
        window.begin_task(_give(2))
        first, room = await window.collect_finished(), window.count_free(9)
        with pytest.raises(ValueError, match="no"):
            await window.collect_finished()
        await window.close()
        return first, room

    assert ([2], 0) == asyncio.run(collect_results())


def test_patience_ends_waiting() -> None:
    """If nothing finishes in time, nothing is returned."""

    async def collect_results() -> list[int]:
        window = TaskWindow[int]()
        empty = await window.collect_finished(0.0)
        window.begin_task(_give(1, after=asyncio.Event()))
        waited = await window.collect_finished(0.01)
        await window.close()
        return empty + waited

    assert [] == asyncio.run(collect_results())


def test_closing_drops_what_is_under_way() -> None:
    """After closing, nothing is running and the slots are free again."""

    async def count_free() -> tuple[int, int, int]:
        window = TaskWindow[int]()
        window.begin_task(_give(1, after=asyncio.Event()))
        before = window.count_free(2)
        await window.close()
        return before, window.count_free(2), len(asyncio.all_tasks())

    assert (1, 2, 1) == asyncio.run(count_free())
