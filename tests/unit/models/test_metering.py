import asyncio
from typing import Any

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.core.errors import SdkBridgeError
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.metering import MeteredOracle, UsageMeter, estimate_request_tokens
from saniwa.models.oracle import OracleAnswer, Usage
from saniwa.models.retry import RetryingOracle
from tests.fakes.oracles import CountedPause, FaultyOracle, make_connection_error, make_request

_COST = Usage(calls=1, input_tokens=10, output_tokens=4, cost=100)


def _make_oracle() -> CannedOracle:
    return CannedOracle(lambda _: OracleAnswer(text="a", usage=_COST))


def _ask_until_stopped(metered: MeteredOracle) -> tuple[int, SdkBridgeError]:
    async def ask() -> tuple[int, SdkBridgeError]:
        answered = 0
        while answered < 50:
            try:
                await metered.answer(make_request("a question"))
            except SdkBridgeError as problem:
                return answered, problem
            answered += 1
        raise AssertionError("nothing stopped it")

    return asyncio.run(ask())


def test_calls_are_counted_up_to_their_ceiling() -> None:
    """A call beyond the limit is not made."""
    meter = UsageMeter(AgentLimits(max_calls=3))

    answered, problem = _ask_until_stopped(MeteredOracle(_make_oracle(), meter))

    assert (3, "BUDGET_SPENT") == (answered, problem.code)
    assert Usage(calls=3, input_tokens=30, output_tokens=12, cost=300) == meter.spent


def test_tokens_stop_before_the_ceiling_is_crossed() -> None:
    """A question counts with its estimated length and the longest allowed answer."""
    guess = estimate_request_tokens(make_request("a question")) + 8
    metered = MeteredOracle(_make_oracle(), AgentLimits(max_tokens=14 + guess))

    answered, problem = _ask_until_stopped(metered)

    assert (2, "tokens") == (answered, problem.details["what"])


def test_money_stops_before_the_ceiling_is_crossed() -> None:
    """The money spent and the next question's possible cost stay below the limit."""
    metered = MeteredOracle(_make_oracle(), AgentLimits(max_cost=0.0003), price=lambda *_: 150)

    answered, problem = _ask_until_stopped(metered)

    assert (2, "BUDGET_SPENT") == (answered, problem.code)
    assert "0.00035 US dollars; the limit is 0.0003" in problem.message


@pytest.mark.parametrize("price", [None, lambda *_: None], ids=["none", "unknown"])
def test_a_ceiling_on_money_refuses_a_model_without_a_price(price: object) -> None:
    """With a limit on money, a model without a price is refused."""
    metered = MeteredOracle(_make_oracle(), AgentLimits(max_cost=1.0), price=price)  # type: ignore[arg-type]

    answered, problem = _ask_until_stopped(metered)

    assert (0, "BUDGET_UNPRICED") == (answered, problem.code)


def test_an_answer_without_a_price_ends_a_budget_of_money() -> None:
    """If an answer turns out to have no price, the next question is refused."""
    unknown = Usage(calls=1, unpriced=1)
    oracle = CannedOracle(lambda _: OracleAnswer(text="a", usage=unknown))
    metered = MeteredOracle(oracle, AgentLimits(max_cost=1.0), price=lambda *_: 1)

    answered, problem = _ask_until_stopped(metered)

    assert (1, "BUDGET_UNPRICED") == (answered, problem.code)


def test_what_failed_is_a_call_and_nothing_else() -> None:
    """A failed call counts as a call, and gives back its reserved tokens."""
    meter = UsageMeter(AgentLimits(max_calls=2))
    metered = MeteredOracle(FaultyOracle(*(make_connection_error() for _ in range(9))), meter)

    codes = [_read_error_code(metered) for _ in range(3)]

    assert ["BRIDGE_CONNECTION", "BRIDGE_CONNECTION", "BUDGET_SPENT"] == codes
    assert Usage(calls=2) == meter.spent


def _read_error_code(metered: MeteredOracle, hear: Any = None) -> str:
    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(metered.answer(make_request("a"), hear))
    return caught.value.code


def test_words_that_had_come_are_paid_for() -> None:
    """An interrupted answer costs the question and the words that arrived."""
    meter = UsageMeter(AgentLimits())
    oracle = FaultyOracle(make_connection_error(), heard="word" * 10)
    metered = MeteredOracle(oracle, meter, price=lambda told, said: told + said)

    _read_error_code(metered, lambda _: None)

    told = estimate_request_tokens(make_request("a"))
    assert Usage(calls=1, input_tokens=told, output_tokens=11, cost=told + 11) == (meter.spent)


def test_every_attempt_is_a_call() -> None:
    """Each retry counts as a call."""
    inside = FaultyOracle(*(make_connection_error() for _ in range(9)))
    oracle = RetryingOracle(MeteredOracle(inside, AgentLimits(max_calls=2)), CountedPause())

    with pytest.raises(SdkBridgeError) as caught:
        asyncio.run(oracle.answer(make_request("a")))

    assert ("BUDGET_SPENT", 2) == (caught.value.code, len(inside.asked))


def test_what_is_spent_never_becomes_less() -> None:
    """A negative usage does not reduce what was spent."""
    gift = Usage(calls=-1, input_tokens=-50, output_tokens=-50, cost=-999, unpriced=-1)
    meter = UsageMeter(AgentLimits(max_calls=3), spent=gift)
    oracle = CannedOracle(lambda _: OracleAnswer(text="a", usage=gift + Usage(calls=2)))

    answered, _ = _ask_until_stopped(MeteredOracle(oracle, meter))

    assert (3, Usage(calls=3)) == (answered, meter.spent)


def test_questions_at_once_do_not_cross_a_ceiling_together() -> None:
    """Calls under way count towards the limit."""
    waiting = asyncio.Event()

    class HeldFaultyOracle(FaultyOracle):
        """Answers when released."""

        async def answer(self, *asked: Any) -> OracleAnswer:
            """Wait first."""
            await waiting.wait()
            return await super().answer(*asked)

    async def ask() -> list[object]:
        metered = MeteredOracle(HeldFaultyOracle(), AgentLimits(max_calls=2))
        asked = [asyncio.ensure_future(metered.answer(make_request("a"))) for _ in range(3)]
        await asyncio.sleep(0)
        waiting.set()
        return list(await asyncio.gather(*asked, return_exceptions=True))

    assert [False, False, True] == [isinstance(each, SdkBridgeError) for each in asyncio.run(ask())]


def test_several_models_share_a_meter() -> None:
    """Several models share one limit, including what was spent before."""
    meter = UsageMeter(AgentLimits(max_calls=3), spent=Usage(calls=1))
    models = [MeteredOracle(_make_oracle(), meter), MeteredOracle(_make_oracle(), meter)]

    async def ask() -> int:
        for model in models:
            await model.answer(make_request("a"))
        with pytest.raises(SdkBridgeError):
            await models[0].answer(make_request("a"))
        return meter.spent.calls

    assert 3 == asyncio.run(ask())


@pytest.mark.parametrize("text", ["a question", "鍵はどこにありますか。", ""])
def test_a_guess_is_rather_too_large(text: str) -> None:
    """The estimate of tokens is at least a third of the bytes."""
    assert estimate_request_tokens(make_request(text)) > len(text.encode()) / 3


def test_a_meter_within_another_keeps_to_both() -> None:
    """An inner meter has its own limit, and also counts for the outer one."""
    table = UsageMeter(AgentLimits(max_calls=3))
    own = MeteredOracle(_make_oracle(), UsageMeter(AgentLimits(max_calls=1), within=table))
    other = MeteredOracle(_make_oracle(), UsageMeter(AgentLimits(max_calls=9), within=table))

    assert (1, 1) == _find_ceiling(own)
    assert (2, 3) == _find_ceiling(other)
    assert 3 == table.spent.calls


def _find_ceiling(metered: MeteredOracle) -> tuple[int, int]:
    answered, problem = _ask_until_stopped(metered)
    return answered, problem.details["ceiling"]


def test_usage_is_added_and_taken_away() -> None:
    """Usages can be added and subtracted field by field."""
    one = Usage(calls=1, input_tokens=2, output_tokens=3, cost=4, unpriced=5)
    other = Usage(calls=6, input_tokens=7, output_tokens=8, cost=9, unpriced=10)

    assert other == (one + other) - one
    assert Usage() == one - one
