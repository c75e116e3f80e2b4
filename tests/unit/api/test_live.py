import asyncio
from collections.abc import AsyncIterator

from saniwa.api.live import PULSE, live
from saniwa.core.errors import StoreError
from saniwa.wiring.garden.bell import Bell


class _Impatient(Bell):
    """A bell nobody waits for: every wait is over at once."""

    async def wait(self, name: str, seconds: float) -> None:
        """Let others go first, and no more."""
        del name, seconds
        await asyncio.sleep(0)


def _heard(numbers: list[int | StoreError], pieces: int) -> list[str]:
    left = iter(numbers)

    async def look() -> int:
        number = next(left)
        if isinstance(number, StoreError):
            raise number
        return number

    async def story() -> list[str]:
        told: list[str] = []
        body = live(_Impatient(), "run-1", look).body_iterator
        assert isinstance(body, AsyncIterator)
        async for piece in body:
            told.append(str(piece))
            if len(told) == pieces:
                break
        return told

    return asyncio.run(story())


def test_a_listener_is_told_the_newest_revision_and_no_queue() -> None:
    """Two changes between two looks are one event, with the last number."""
    told = _heard([3, 3, 3, 9], 3)

    assert "retry: 2000\n\n" == told[0]
    assert [
        "id: 3\nevent: revision\ndata: 3\n\n",
        "id: 9\nevent: revision\ndata: 9\n\n",
    ] == told[1:]


def test_a_silent_line_says_now_and_then_that_it_is_there() -> None:
    """Who is between would close it otherwise; and who has gone is noticed."""
    told = _heard([1] * (PULSE + 1), 3)

    assert ": still here\n\n" == told[2]


def test_a_line_that_can_no_longer_look_says_why_and_ends() -> None:
    """Nobody listens to silence for ever."""
    told = _heard([1, StoreError("STORE_UNREACHABLE", "away")], 9)

    assert "event: problem\ndata: STORE_UNREACHABLE\n\n" == told[-1]
    assert 3 == len(told)
