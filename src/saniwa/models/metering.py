"""Counting what answers cost, and stopping before a ceiling is crossed."""

from collections.abc import Callable
from typing import Final, Protocol

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.errors import SdkBridgeError
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)


class SpendingLimits(Protocol):
    """The ceilings that a meter keeps to; None for no ceiling."""

    @property
    def max_calls(self) -> int | None:
        """How many answers may be asked for."""

    @property
    def max_tokens(self) -> int | None:
        """How many tokens may be used."""

    @property
    def max_cost(self) -> float | None:
        """How much may be spent, in dollars."""


PriceFunction = Callable[[int, int], int | None]
"""Millionths of a dollar for tokens told and said; None where nobody knows."""
_MILLION: Final = 1_000_000
_BYTES_A_TOKEN: Final = 3
_LETTERS_A_TOKEN: Final = 4
_MESSAGE_OVERHEAD: Final = 8


class UsageMeter:
    """What has been spent, and what may be; one for all models of a run.

    One within another keeps to both: an agent's own ceilings, and those of its table.
    """

    def __init__(
        self,
        limits: SpendingLimits,
        spent: Usage | None = None,
        *,
        within: "UsageMeter | None" = None,
    ) -> None:
        """`spent` is what questions before these have cost; `within` counts them too."""
        self._limits = limits
        self.spent = _clamp_usage(spent or Usage())
        """What all answers have cost so far."""
        self._underway = Usage()
        self._outer = within

    def begin(self, expected: Usage) -> None:
        """Set that much aside for a question.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`; nothing is set aside.
        """
        self._check_limits(self.spent + self._underway + expected)
        if self._outer is not None:
            self._outer.begin(expected)
        self._underway += expected

    def end(self, expected: Usage, really: Usage) -> None:
        """Count what the question really cost; nothing makes what is spent less."""
        self._underway -= expected
        self.spent += _clamp_usage(really)
        if self._outer is not None:
            self._outer.end(expected, really)

    def _check_limits(self, then: Usage) -> None:
        limits = self._limits
        if limits.max_calls is not None and then.calls > limits.max_calls:
            raise _make_budget_error("calls", then.calls, limits.max_calls)
        tokens = then.input_tokens + then.output_tokens
        if limits.max_tokens is not None and tokens > limits.max_tokens:
            raise _make_budget_error("tokens", tokens, limits.max_tokens)
        if limits.max_cost is None:
            return
        if then.unpriced:
            raise _make_unpriced_error(limits.max_cost)
        if then.cost > limits.max_cost * _MILLION:
            raise _make_budget_error(
                "US dollars", then.cost / _MILLION, limits.max_cost
            )


class MeteredOracle:
    """Stops before a question that would cost more than is left.

    A question counts with a rough guess of its tokens and with the longest answer it
    allows, until what it really cost is known: a ceiling is kept to, not met exactly.
    It stands inside of `Retrying`: every attempt is a call, whatever becomes of it.
    """

    def __init__(
        self,
        oracle: Oracle,
        limits: SpendingLimits | UsageMeter,
        *,
        price: PriceFunction | None = None,
    ) -> None:
        """`price` tells what a question may cost; without it nobody knows."""
        self._oracle = oracle
        self._meter = limits if isinstance(limits, UsageMeter) else UsageMeter(limits)
        self._price = price

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The answer, counted.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`, or what the oracle says.
        """
        expected = self._estimate_usage(
            estimate_request_tokens(request), request.max_tokens
        )
        self._meter.begin(expected)
        ear = _CountingListener(hear) if hear is not None else None
        really = None
        try:
            answer = await self._oracle.answer(request, ear)
            really = answer.usage
        finally:
            self._meter.end(expected, really or self._estimate_lost_usage(request, ear))
        return answer

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()

    def _estimate_lost_usage(
        self, request: OracleRequest, ear: "_CountingListener | None"
    ) -> Usage:
        """What a question without an answer cost: a call, and the words that had come."""
        if ear is None or not ear.letters:
            return Usage(calls=1)
        return self._estimate_usage(
            estimate_request_tokens(request), ear.letters // _LETTERS_A_TOKEN + 1
        )

    def _estimate_usage(self, told: int, said: int) -> Usage:
        cost = self._price(told, said) if self._price is not None else None
        return Usage(
            calls=1,
            input_tokens=told,
            output_tokens=said,
            cost=cost or 0,
            unpriced=int(cost is None),
        )


class _CountingListener:
    """Counts the letters somebody hears."""

    def __init__(self, hear: TextListener) -> None:
        self._hear = hear
        self.letters = 0

    def __call__(self, piece: str) -> None:
        self.letters += len(piece)
        self._hear(piece)


def _clamp_usage(usage: Usage) -> Usage:
    return Usage(
        calls=max(usage.calls, 0),
        input_tokens=max(usage.input_tokens, 0),
        output_tokens=max(usage.output_tokens, 0),
        cost=max(usage.cost, 0),
        unpriced=max(usage.unpriced, 0),
    )


def estimate_request_tokens(request: OracleRequest) -> int:
    """About how many tokens a request has; rather too many than too few."""
    texts = [request.system, *(each.text for each in request.messages)]
    letters = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    around = _MESSAGE_OVERHEAD * len(texts) + (
        len(str(request.schema)) if request.schema else 0
    )
    return letters // _BYTES_A_TOKEN + around


def _make_unpriced_error(ceiling: float) -> SdkBridgeError:
    return SdkBridgeError(
        "BUDGET_UNPRICED",
        f"there is a ceiling of {_format_number(ceiling)} US dollars, and nobody knows what this"
        " model costs",
        hint="set a ceiling on tokens or calls instead",
    )


def _make_budget_error(what: str, then: float, ceiling: float) -> SdkBridgeError:
    return SdkBridgeError(
        "BUDGET_SPENT",
        f"one more question could make it {_format_number(then)} {what}, and "
        f"{_format_number(ceiling)} are allowed",
        hint="raise the ceiling, or ask for shorter answers",
        details={"what": what, "then": then, "ceiling": ceiling},
    )


def _format_number(number: float) -> str:
    return (
        str(number)
        if isinstance(number, int)
        else f"{number:.6f}".rstrip("0").rstrip(".")
    )


class PricedOracle:
    """Asks an oracle, and says what its answers cost at a given price.

    The price counts instead of what the oracle says itself: whoever writes it down knows
    what their own server or contract costs.
    """

    def __init__(self, oracle: Oracle, price: PriceFunction) -> None:
        self._oracle = oracle
        self._price = price

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer, with its cost.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        answer = await self._oracle.answer(request, hear)
        used = answer.usage
        cost = self._price(used.input_tokens, used.output_tokens)
        if cost is None:
            return answer
        usage = msgspec.structs.replace(used, cost=cost, unpriced=0)
        return msgspec.structs.replace(answer, usage=usage)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()


class TimedOracle:
    """Answers as its oracle does, and says how long that took."""

    def __init__(self, oracle: Oracle, clock: Clock) -> None:
        self._oracle = oracle
        self._clock = clock

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer, with the time it took; a clock set back counts as none.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        asked = self._clock.now()
        answer = await self._oracle.answer(request, hear)
        took = max(self._clock.now() - asked, 0)
        return msgspec.structs.replace(answer, took_ms=took)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()


CALLS_PER_TURN: Final = 2
"""Calls one turn may cost, whoever makes them: a character, a parser, a narrator."""


class CallBudget:
    """What is left of them; whoever asks a model takes one first."""

    def __init__(self, left: int = CALLS_PER_TURN) -> None:
        """So many; less than none is none."""
        self._left = max(0, left)

    @property
    def remaining(self) -> int:
        """How many may still be made."""
        return self._left

    def take(self) -> bool:
        """Take one for a call that is about to be made; False where none is left."""
        if not self._left:
            return False
        self._left -= 1
        return True
