import asyncio
from contextlib import suppress

import pytest

from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.models.retry import MAX_SERVER_DELAY_MS, RetryingOracle
from tests.fakes.oracles import CountedPause, Faulty, impatient, refused, request, unreachable


class Screen:
    """Shows pieces, and can be wiped."""

    def __init__(self) -> None:
        self.shown = ""
        self.wiped = 0

    def __call__(self, piece: str) -> None:
        """Show it."""
        self.shown += piece

    def restart(self) -> None:
        """Begin again."""
        self.shown = ""
        self.wiped += 1


def _pauses(seed: int, *planned: SdkBridgeError, attempts: int = 3) -> list[int]:
    pause = CountedPause()
    oracle = RetryingOracle(Faulty(*planned), pause, seed=seed, attempts=attempts)
    with suppress(SdkBridgeError):
        asyncio.run(oracle.answer(request("a")))
    return pause.slept


def test_a_recoverable_error_is_tried_again() -> None:
    """Two lost connections cost two pauses; whoever asked gets the answer."""
    inside, pause = Faulty(unreachable(), impatient()), CountedPause()
    oracle = RetryingOracle(inside, pause)

    answer = asyncio.run(oracle.answer(request("a")))

    assert "heard: a" == answer.text
    assert (3, 2) == (len(inside.asked), len(pause.slept))
    assert ("BRIDGE_CONNECTION: it is gone", "BRIDGE_RATE_LIMIT: not so fast") == answer.mended
    assert 3 == answer.usage.calls


def test_an_answer_at_once_has_nothing_mended() -> None:
    """What was made good for one question is not told with the next."""
    oracle = RetryingOracle(Faulty(unreachable()), CountedPause())

    async def ask() -> list[tuple[str, ...]]:
        return [(await oracle.answer(request(q))).mended for q in ("a", "b")]

    assert [1, 0] == [len(each) for each in asyncio.run(ask())]


def test_what_was_made_good_is_told_in_short() -> None:
    """A provider that explains itself at length does not fill the journal."""
    long = SdkConnectionError("BRIDGE_CONNECTION", "x" * 5000, recoverable=True)
    oracle = RetryingOracle(Faulty(long), CountedPause())

    (told,) = asyncio.run(oracle.answer(request("a"))).mended

    assert len(told) <= 300


def test_after_the_last_attempt_the_error_is_told() -> None:
    """There is an end to it, and it is the last error."""
    inside = Faulty(*(unreachable() for _ in range(5)))

    with pytest.raises(SdkConnectionError):
        asyncio.run(RetryingOracle(inside, CountedPause(), attempts=3).answer(request("a")))

    assert 3 == len(inside.asked)


def test_what_is_not_recoverable_is_not_tried_again() -> None:
    """Asking the same once more would only cost."""
    assert [] == _pauses(1, refused())


def test_pauses_grow_and_vary_within_their_bounds() -> None:
    """Each is between half and the whole of twice the last, up to the longest."""
    slept = _pauses(1, *(unreachable() for _ in range(9)), attempts=9)

    longest = [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]
    assert all(most // 2 <= wait <= most for most, wait in zip(longest, slept, strict=True))
    assert any(wait not in (most // 2, most) for most, wait in zip(longest, slept, strict=True))


def test_pauses_come_from_the_seed() -> None:
    """The same seed pauses the same; another does not come back at the same moment."""
    planned = [unreachable() for _ in range(2)]

    assert _pauses(1, *planned) == _pauses(1, *planned)
    assert _pauses(1, *planned) != _pauses(2, *planned)


def test_a_provider_that_names_a_time_is_given_it() -> None:
    """A longer wait it asks for is kept to."""
    assert [60_000] == _pauses(1, impatient(60_000))


def test_a_provider_that_asks_for_too_much_is_left_alone() -> None:
    """Nobody waits for hours: the error is told at once."""
    assert [] == _pauses(1, impatient(MAX_SERVER_DELAY_MS + 1))


def test_an_attempt_is_heard_while_it_comes() -> None:
    """Trying again does not hold back an answer that comes at once."""
    heard: list[str] = []

    asyncio.run(RetryingOracle(Faulty(), CountedPause()).answer(request("a"), heard.append))

    assert ["heard:", " a"] == heard


def test_a_screen_is_wiped_before_the_answer_comes_again() -> None:
    """Whoever can begin again is told to, and shows the answer once."""
    screen = Screen()
    inside = Faulty(unreachable(), unreachable(), heard="I take")

    answer = asyncio.run(RetryingOracle(inside, CountedPause()).answer(request("a"), screen))

    assert (answer.text, 2) == (screen.shown, screen.wiped)


@pytest.mark.parametrize(
    ("broken", "heard"),
    [
        ("heard:", ["heard:", " a"]),
        ("heard: a", ["heard: a"]),
        ("I take", ["I take", "\nheard: a"]),
    ],
)
def test_a_broken_answer_goes_on_or_stands_on_a_line_of_its_own(
    broken: str, heard: list[str]
) -> None:
    """A plain listener hears the rest of the same answer, or another from its beginning."""
    pieces: list[str] = []
    inside = Faulty(unreachable(), heard=broken)

    asyncio.run(RetryingOracle(inside, CountedPause()).answer(request("a"), pieces.append))

    assert heard == pieces
