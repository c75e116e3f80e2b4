import asyncio

import pytest

from saniwa.core.clock import FixedClock
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.metering import TimedOracle
from tests.fakes.oracles import make_request


@pytest.mark.parametrize(("tick", "took"), [(250, 250), (0, 0), (-900, 0)])
def test_an_answer_says_how_long_it_took(tick: int, took: int) -> None:
    """The time is from question to answer, and 0 if the clock was set back."""
    oracle = TimedOracle(CannedOracle(lambda _: "So."), FixedClock(start=5000, tick=tick))
    answer = asyncio.run(oracle.answer(make_request("one")))

    assert ("So.", took) == (answer.text, answer.took_ms)
