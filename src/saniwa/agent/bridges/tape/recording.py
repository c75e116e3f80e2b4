"""Keeping every request and what came of it, so that it can be played back."""

import msgspec

from saniwa.agent.bridges.clean import clean_answer, clean_error, clean_request
from saniwa.agent.bridges.tape.recorded import Mishap, Recorded
from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.agent.ports import Journal
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction
from saniwa.core.sound import sound


class Recording:
    """Answers as its oracle does, and keeps it: on the tape before anybody uses it.

    What is handed on is what was written, with secrets replaced, so that the playback is
    the same byte for byte. The errors of the bridge are kept too; being cancelled is not.
    """

    def __init__(self, oracle: Oracle, tape: Journal, redaction: Redaction) -> None:
        self._oracle = oracle
        self._tape = tape
        self._redaction = redaction

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer, kept.

        Raises:
            SdkBridgeError: What the oracle says; kept as well.
            StoreError: `TRACE_UNWRITABLE`: nobody may use what could not be kept.
        """
        asked = clean_request(request, self._redaction)
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            mishap = Mishap.of(clean_error(problem, self._redaction))
            self._keep(Recorded(key=asked.key, request=asked, error=mishap))
            raise mishap.error() from None
        whole = msgspec.structs.replace(answer, text=sound(answer.text))
        kept = clean_answer(whole, self._redaction)
        self._keep(Recorded(key=asked.key, request=asked, answer=kept))
        return kept

    async def close(self) -> None:
        """Let go of the oracle and the tape; more than once is no mistake."""
        try:
            await self._oracle.close()
        finally:
            self._tape.close()

    def _keep(self, recorded: Recorded) -> None:
        self._tape.append(msgspec.to_builtins(recorded), lasting=True)
