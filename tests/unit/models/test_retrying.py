import asyncio
from contextlib import suppress

import pytest

from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.models.retry import MAX_SERVER_DELAY_MS, RetryingOracle
from tests.fakes.oracles import (
    CountedPause,
    FaultyOracle,
    make_connection_error,
    make_rate_limit_error,
    make_refusal_error,
    make_request,
)


class WipeableScreen:
    """Shows pieces, and can be restarted."""

    def __init__(self) -> None:
        self.shown = ""
        self.wiped = 0

    def __call__(self, piece: str) -> None:
        """Show the piece."""
        self.shown += piece

    def restart(self) -> None:
        """Start again."""
        self.shown = ""
        self.wiped += 1


def _count_pauses(seed: int, *planned: SdkBridgeError, attempts: int = 3) -> list[int]:
    pause = CountedPause()
    oracle = RetryingOracle(FaultyOracle(*planned), pause, seed=seed, attempts=attempts)
    with suppress(SdkBridgeError):
        asyncio.run(oracle.answer(make_request("a")))
    return pause.slept


def test_a_recoverable_error_is_tried_again() -> None:
    """Recoverable errors are retried after pauses, and the answer lists them."""
    inside, pause = FaultyOracle(make_connection_error(), make_rate_limit_error()), CountedPause()
    oracle = RetryingOracle(inside, pause)

    answer = asyncio.run(oracle.answer(make_request("a")))

    assert "heard: a" == answer.text
    assert (3, 2) == (len(inside.asked), len(pause.slept))
    assert ("BRIDGE_CONNECTION: it is gone", "BRIDGE_RATE_LIMIT: not so fast") == answer.mended
    assert 3 == answer.usage.calls


def test_an_answer_at_once_has_nothing_repaired() -> None:
    """The listed errors are those of one question."""
    oracle = RetryingOracle(FaultyOracle(make_connection_error()), CountedPause())

    async def ask() -> list[tuple[str, ...]]:
        return [(await oracle.answer(make_request(q))).mended for q in ("a", "b")]

    assert [1, 0] == [len(each) for each in asyncio.run(ask())]


def test_resolved_errors_are_shortened() -> None:
    """The listed errors are shortened."""
    long = SdkConnectionError("BRIDGE_CONNECTION", "x" * 5000, recoverable=True)
    oracle = RetryingOracle(FaultyOracle(long), CountedPause())

    (told,) = asyncio.run(oracle.answer(make_request("a"))).mended

    assert len(told) <= 300


def test_after_the_last_attempt_the_error_is_reported() -> None:
    """After the last attempt the last error is raised."""
    inside = FaultyOracle(*(make_connection_error() for _ in range(5)))

    with pytest.raises(SdkConnectionError):
        asyncio.run(RetryingOracle(inside, CountedPause(), attempts=3).answer(make_request("a")))

    assert 3 == len(inside.asked)


def test_what_is_not_recoverable_is_not_tried_again() -> None:
    """An error that is not recoverable is not retried."""
    assert [] == _count_pauses(1, make_refusal_error())


def test_pauses_grow_and_vary_within_their_bounds() -> None:
    """Each pause is between half and the whole of its limit, which doubles up to a maximum."""
    slept = _count_pauses(1, *(make_connection_error() for _ in range(9)), attempts=9)

    longest = [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]
    assert all(most // 2 <= wait <= most for most, wait in zip(longest, slept, strict=True))
    assert any(wait not in (most // 2, most) for most, wait in zip(longest, slept, strict=True))


def test_pauses_come_from_the_seed() -> None:
    """Pauses depend on the seed only."""
    planned = [make_connection_error() for _ in range(2)]

    assert _count_pauses(1, *planned) == _count_pauses(1, *planned)
    assert _count_pauses(1, *planned) != _count_pauses(2, *planned)


def test_a_provider_that_names_a_time_is_given_it() -> None:
    """A longer wait named by the provider is kept to."""
    assert [60_000] == _count_pauses(1, make_rate_limit_error(60_000))


def test_a_provider_that_asks_for_too_much_is_left_alone() -> None:
    """If the provider asks for too long a wait, the error is raised at once."""
    assert [] == _count_pauses(1, make_rate_limit_error(MAX_SERVER_DELAY_MS + 1))


def test_an_attempt_is_heard_while_it_comes() -> None:
    """Pieces are passed on as they arrive."""
    heard: list[str] = []

    asyncio.run(
        RetryingOracle(FaultyOracle(), CountedPause()).answer(make_request("a"), heard.append)
    )

    assert ["heard:", " a"] == heard


def test_a_screen_is_wiped_before_the_answer_comes_again() -> None:
    """A listener that can restart shows the answer once."""
    screen = WipeableScreen()
    inside = FaultyOracle(make_connection_error(), make_connection_error(), heard="I take")

    answer = asyncio.run(RetryingOracle(inside, CountedPause()).answer(make_request("a"), screen))

    assert (answer.text, 2) == (screen.shown, screen.wiped)


@pytest.mark.parametrize(
    ("broken", "heard"),
    [
        ("heard:", ["heard:", " a"]),
        ("heard: a", ["heard: a"]),
        ("I take", ["I take", "\nheard: a"]),
    ],
)
def test_an_interrupted_answer_continues_or_starts_a_new_line(
    broken: str, heard: list[str]
) -> None:
    """A plain listener gets the rest of the same answer, or another one on a new line."""
    pieces: list[str] = []
    inside = FaultyOracle(make_connection_error(), heard=broken)

    asyncio.run(RetryingOracle(inside, CountedPause()).answer(make_request("a"), pieces.append))

    assert heard == pieces
