"""Counting what answers cost, and stopping before a ceiling is crossed."""

from collections.abc import Callable
from typing import Final

from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Answer, Hear, Oracle, Request, Usage
from saniwa.core.errors import SdkBridgeError

Price = Callable[[int, int], int | None]
"""Millionths of a dollar for tokens told and said; None where nobody knows."""
_MILLION: Final = 1_000_000
_BYTES_A_TOKEN: Final = 3
_LETTERS_A_TOKEN: Final = 4
_AROUND: Final = 8


class Meter:
    """What has been spent, and what may be; one for all models of a run.

    One within another keeps to both: an agent's own ceilings, and those of its table.
    """

    def __init__(
        self,
        limits: Limits,
        spent: Usage | None = None,
        *,
        within: "Meter | None" = None,
    ) -> None:
        """`spent` is what questions before these have cost; `within` counts them too."""
        self._limits = limits
        self.spent = _at_least_nothing(spent or Usage())
        """What all answers have cost so far."""
        self._underway = Usage()
        self._outer = within

    def begin(self, expected: Usage) -> None:
        """Set that much aside for a question.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`; nothing is set aside.
        """
        self._check(self.spent + self._underway + expected)
        if self._outer is not None:
            self._outer.begin(expected)
        self._underway += expected

    def end(self, expected: Usage, really: Usage) -> None:
        """Count what the question really cost; nothing makes what is spent less."""
        self._underway -= expected
        self.spent += _at_least_nothing(really)
        if self._outer is not None:
            self._outer.end(expected, really)

    def _check(self, then: Usage) -> None:
        limits = self._limits
        if limits.max_calls is not None and then.calls > limits.max_calls:
            raise _spent("calls", then.calls, limits.max_calls)
        tokens = then.input_tokens + then.output_tokens
        if limits.max_tokens is not None and tokens > limits.max_tokens:
            raise _spent("tokens", tokens, limits.max_tokens)
        if limits.max_cost is None:
            return
        if then.unpriced:
            raise _unpriced(limits.max_cost)
        if then.cost > limits.max_cost * _MILLION:
            raise _spent("US dollars", then.cost / _MILLION, limits.max_cost)


class Metered:
    """Stops before a question that would cost more than is left.

    A question counts with a rough guess of its tokens and with the longest answer it
    allows, until what it really cost is known: a ceiling is kept to, not met exactly.
    It stands inside of `Retrying`: every attempt is a call, whatever becomes of it.
    """

    def __init__(
        self, oracle: Oracle, limits: Limits | Meter, *, price: Price | None = None
    ) -> None:
        """`price` tells what a question may cost; without it nobody knows."""
        self._oracle = oracle
        self._meter = limits if isinstance(limits, Meter) else Meter(limits)
        self._price = price

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The answer, counted.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, `BUDGET_UNPRICED`, or what the oracle says.
        """
        expected = self._usage(tokens_told(request), request.max_tokens)
        self._meter.begin(expected)
        ear = _Counting(hear) if hear is not None else None
        really = None
        try:
            answer = await self._oracle.answer(request, ear)
            really = answer.usage
        finally:
            self._meter.end(expected, really or self._lost(request, ear))
        return answer

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()

    def _lost(self, request: Request, ear: "_Counting | None") -> Usage:
        """What a question without an answer cost: a call, and the words that had come."""
        if ear is None or not ear.letters:
            return Usage(calls=1)
        return self._usage(tokens_told(request), ear.letters // _LETTERS_A_TOKEN + 1)

    def _usage(self, told: int, said: int) -> Usage:
        cost = self._price(told, said) if self._price is not None else None
        return Usage(
            calls=1,
            input_tokens=told,
            output_tokens=said,
            cost=cost or 0,
            unpriced=int(cost is None),
        )


class _Counting:
    """Counts the letters somebody hears."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self.letters = 0

    def __call__(self, piece: str) -> None:
        self.letters += len(piece)
        self._hear(piece)


def _at_least_nothing(usage: Usage) -> Usage:
    return Usage(
        calls=max(usage.calls, 0),
        input_tokens=max(usage.input_tokens, 0),
        output_tokens=max(usage.output_tokens, 0),
        cost=max(usage.cost, 0),
        unpriced=max(usage.unpriced, 0),
    )


def tokens_told(request: Request) -> int:
    """About how many tokens a request has; rather too many than too few."""
    texts = [request.system, *(each.text for each in request.messages)]
    letters = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    around = _AROUND * len(texts) + (len(str(request.schema)) if request.schema else 0)
    return letters // _BYTES_A_TOKEN + around


def _unpriced(ceiling: float) -> SdkBridgeError:
    return SdkBridgeError(
        "BUDGET_UNPRICED",
        f"there is a ceiling of {_shown(ceiling)} US dollars, and nobody knows what this"
        " model costs",
        hint="set a ceiling on tokens or calls instead",
    )


def _spent(what: str, then: float, ceiling: float) -> SdkBridgeError:
    return SdkBridgeError(
        "BUDGET_SPENT",
        f"one more question could make it {_shown(then)} {what}, and "
        f"{_shown(ceiling)} are allowed",
        hint="raise the ceiling, or ask for shorter answers",
        details={"what": what, "then": then, "ceiling": ceiling},
    )


def _shown(number: float) -> str:
    return (
        str(number)
        if isinstance(number, int)
        else f"{number:.6f}".rstrip("0").rstrip(".")
    )
