"""Answers at a price that somebody has written down."""

import msgspec

from saniwa.agent.bridges.metered import Price
from saniwa.agent.oracle import Answer, Hear, Oracle, Request


class Priced:
    """Asks an oracle, and says what its answers cost at a given price.

    The price counts instead of what the oracle says itself: whoever writes it down knows
    what their own server or contract costs.
    """

    def __init__(self, oracle: Oracle, price: Price) -> None:
        self._oracle = oracle
        self._price = price

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
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
