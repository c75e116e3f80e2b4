"""Where a model's words come in, secrets stay out."""

from saniwa.agent.bridges.clean import clean_answer, clean_error
from saniwa.agent.bridges.scrubbed import Scrubbed
from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction


class Discreet:
    """Answers as its oracle does, without the secrets it knows.

    So none that a model or a provider repeats reaches a trace, a journal, a tape or a
    screen, whichever of them there are. The oracle is asked what was asked.
    """

    def __init__(self, oracle: Oracle, redaction: Redaction) -> None:
        self._oracle = oracle
        self._redaction = redaction

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer; no secret is in it, in a piece of it, or in an error.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        ear = Scrubbed(hear, self._redaction) if hear is not None else None
        met = None
        try:
            answer = await self._oracle.answer(request, ear)
        except SdkBridgeError as problem:
            met = clean_error(problem, self._redaction)
        # Raised outside of `except`: the one with the secrets would come along.
        if met is not None:
            raise met
        if ear is not None:
            ear.finish()
        return clean_answer(answer, self._redaction)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()
