import asyncio

from saniwa.app.game_tables import ChangeNotifier


def test_every_waiter_for_a_name_is_woken_and_no_other() -> None:
    """A notification wakes every waiter for its run, and no other."""

    async def wake_waiters() -> list[bool]:
        bell = ChangeNotifier()
        waiting = [asyncio.ensure_future(bell.wait(name, 60)) for name in ("a", "a", "b")]
        await asyncio.sleep(0)
        bell.notify("a")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        done = [each.done() for each in waiting]
        waiting[2].cancel()
        return done

    assert [True, True, False] == asyncio.run(wake_waiters())


def test_a_wait_that_is_over_leaves_nothing_behind() -> None:
    """A wait leaves nothing behind, whether it was notified, timed out or cancelled."""

    async def leave_waits() -> int:
        bell = ChangeNotifier()
        await bell.wait("a", 0)
        gone = asyncio.ensure_future(bell.wait("a", 60))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        bell.notify("a")
        return len(bell._waiting)

    assert 0 == asyncio.run(leave_waits())


def test_closing_wakes_every_waiter() -> None:
    """Closing wakes every waiter."""

    async def close_notifier() -> bool:
        bell = ChangeNotifier()
        waiting = asyncio.ensure_future(bell.wait("a", 60))
        await asyncio.sleep(0)
        bell.close()
        await waiting
        return bell.silent

    assert asyncio.run(close_notifier())
