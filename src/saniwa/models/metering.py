"""Counting what answers cost, and stopping before a limit is exceeded.

Holds the usage meter, and oracle wrappers that meter, price and time each answer.
"""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.errors import SdkBridgeError
from saniwa.models import describe
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    OracleWrapper,
    TextListener,
    Usage,
    count_structure_characters,
    make_call_usage,
)


class SpendingLimits(Protocol):
    """The limits of a meter; None means no limit."""

    @property
    def max_calls(self) -> int | None:
        """The most calls."""

    @property
    def max_tokens(self) -> int | None:
        """The most tokens, input and output together."""

    @property
    def max_cost(self) -> float | None:
        """The most money, in US dollars."""


PriceFunction = Callable[[int, int], int | None]
"""Price of input and output tokens in millionths of a US dollar; None if it is unknown.
"""
_MILLION: Final = 1_000_000
_BYTES_PER_TOKEN: Final = 3
_CHARACTERS_PER_TOKEN: Final = 4
_MESSAGE_OVERHEAD: Final = 8


class UsageMeter:
    """Counts what was spent against limits; one meter serves all models of a run.

    A meter inside another obeys both: an agent's own limits and those of the whole
    cast.
    """

    def __init__(
        self,
        limits: SpendingLimits,
        spent: Usage | None = None,
        *,
        within: "UsageMeter | None" = None,
    ) -> None:
        """Start a meter.

        Args:
            limits: What may be spent.
            spent: What earlier questions cost.
            within: An outer meter that counts the same questions.
        """
        self._limits = limits
        self.spent = _clamp_usage(spent or Usage())
        """What all answers have cost so far."""
        self._underway = Usage()
        self._outer = within

    def begin(self, expected: Usage) -> None:
        """Reserve that much for a question.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`; nothing is reserved.
        """
        self._check_limits(self.spent + self._underway + expected)
        if self._outer is not None:
            self._outer.begin(expected)
        self._underway += expected

    def end(self, expected: Usage, actual: Usage) -> None:
        """Replace the reservation by the actual cost.

        The amount spent never decreases.
        """
        self._underway -= expected
        self.spent += _clamp_usage(actual)
        if self._outer is not None:
            self._outer.end(expected, actual)

    def _check_limits(self, total: Usage) -> None:
        limits = self._limits
        tokens = total.input_tokens + total.output_tokens
        amounts = (("calls", total.calls, limits.max_calls), ("tokens", tokens, limits.max_tokens))
        for what, amount, ceiling in amounts:
            if ceiling is not None and amount > ceiling:
                raise _make_budget_error(what, amount, ceiling)
        if limits.max_cost is None:
            return
        if total.unpriced:
            raise describe("BUDGET_UNPRICED", number=_format_number(limits.max_cost)).to_error(
                SdkBridgeError
            )
        if total.cost > limits.max_cost * _MILLION:
            raise _make_budget_error("US dollars", total.cost / _MILLION, limits.max_cost)


class MeteredOracle(OracleWrapper):
    """Refuses a question that could cost more than the budget has left.

    Until its actual cost is known, a question counts with a rough estimate of its input
    tokens and with the longest answer it allows: a limit is respected, but may not be
    used up exactly. Wrap it in `RetryingOracle`, not the other way round: every attempt
    counts as a call, whatever its outcome.
    """

    def __init__(
        self,
        oracle: Oracle,
        limits: SpendingLimits | UsageMeter,
        *,
        price: PriceFunction | None = None,
    ) -> None:
        """Meter an oracle.

        Args:
            oracle: The oracle to ask.
            limits: Limits, or a meter that is shared with other oracles.
            price: Estimates the cost of a question; without it the cost is unknown.
        """
        super().__init__(oracle)
        self._meter = limits if isinstance(limits, UsageMeter) else UsageMeter(limits)
        self._price = price

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer and count its cost.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`, or an error of the
                oracle.
        """
        expected = self._estimate_usage(estimate_request_tokens(request), request.max_tokens)
        self._meter.begin(expected)
        received = 0

        def count(piece: str) -> None:
            nonlocal received
            received += len(piece)
            if hear is not None:
                hear(piece)

        actual = None
        try:
            answer = await self._oracle.answer(request, count if hear is not None else None)
            actual = answer.usage
        finally:
            self._meter.end(expected, actual or self._estimate_lost_usage(request, received))
        return answer

    def _estimate_lost_usage(self, request: OracleRequest, received: int) -> Usage:
        """Estimate the cost of an unanswered question: a call and the text so far."""
        if not received:
            return Usage(calls=1)
        return self._estimate_usage(
            estimate_request_tokens(request), received // _CHARACTERS_PER_TOKEN + 1
        )

    def _estimate_usage(self, input_tokens: int, output_tokens: int) -> Usage:
        cost = self._price(input_tokens, output_tokens) if self._price is not None else None
        return make_call_usage(input_tokens, output_tokens, cost)


def _clamp_usage(usage: Usage) -> Usage:
    return Usage(**{name: max(getattr(usage, name), 0) for name in usage.__struct_fields__})


def estimate_request_tokens(request: OracleRequest) -> int:
    """Estimate the tokens of a request; rather too many than too few."""
    texts = [request.system, *(each.text for each in request.messages)]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    overhead = _MESSAGE_OVERHEAD * len(texts) + count_structure_characters(request)
    return size // _BYTES_PER_TOKEN + overhead


def _make_budget_error(what: str, then: float, ceiling: float) -> SdkBridgeError:
    return describe(
        "BUDGET_SPENT",
        what=what,
        then=then,
        ceiling=ceiling,
        number=_format_number(then),
        number2=_format_number(ceiling),
    ).to_error(SdkBridgeError)


def _format_number(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.6f}".rstrip("0").rstrip(".")


class PricedOracle(OracleWrapper):
    """Sets the cost of an oracle's answers from a given price.

    This price replaces the oracle's own: the user who writes it down knows what their
    server or contract costs.
    """

    def __init__(self, oracle: Oracle, price: PriceFunction) -> None:
        super().__init__(oracle)
        self._price = price

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer with its cost.

        Raises:
            SdkBridgeError: As the oracle.
        """
        answer = await self._oracle.answer(request, hear)
        used = answer.usage
        cost = self._price(used.input_tokens, used.output_tokens)
        if cost is None:
            return answer
        usage = msgspec.structs.replace(used, cost=cost, unpriced=0)
        return msgspec.structs.replace(answer, usage=usage)


class TimedOracle(OracleWrapper):
    """Adds to each answer the time it took."""

    def __init__(self, oracle: Oracle, clock: Clock) -> None:
        super().__init__(oracle)
        self._clock = clock

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer with its duration.

        A clock that was set back gives 0.

        Raises:
            SdkBridgeError: As the oracle.
        """
        started = self._clock.now()
        answer = await self._oracle.answer(request, hear)
        took = max(self._clock.now() - started, 0)
        return msgspec.structs.replace(answer, took_ms=took)


CALLS_PER_TURN: Final = 2
"""Calls one turn may make in all: by a character, a parser and a narrator together."""


class CallBudget:
    """The calls that one turn may still make; every caller takes one before it asks."""

    def __init__(self, left: int = CALLS_PER_TURN) -> None:
        """Start with `left` calls; a negative number counts as 0."""
        self.remaining = max(0, left)
        """How many may still be made."""

    def take(self) -> bool:
        """Take one call before making it; returns False if none is left."""
        if not self.remaining:
            return False
        self.remaining -= 1
        return True
