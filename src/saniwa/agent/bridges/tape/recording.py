"""Keeping every request and what came of it, so that it can be played back."""

import msgspec

from saniwa.agent.bridges.tape.recorded import Mishap, Recorded
from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.agent.ports import Journal
from saniwa.core.errors import SdkBridgeError
from saniwa.core.redaction import Redaction
from saniwa.core.sound import sound

_ANSWER = msgspec.json.Decoder(Answer)
_REQUEST = msgspec.json.Decoder(Request)
_MISHAP = msgspec.json.Decoder(Mishap)
_ENCODER = msgspec.json.Encoder(order="deterministic")


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
        asked = cleaned_request(request, self._redaction)
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            mishap = _MISHAP.decode(self._clean(Mishap.of(problem)))
            self._keep(Recorded(key=asked.key, request=asked, error=mishap))
            raise mishap.error() from None
        whole = msgspec.structs.replace(answer, text=sound(answer.text))
        kept = _ANSWER.decode(self._clean(whole))
        self._keep(Recorded(key=asked.key, request=asked, answer=kept))
        return kept

    async def close(self) -> None:
        """Let go of the oracle and the tape; more than once is no mistake."""
        try:
            await self._oracle.close()
        finally:
            self._tape.close()

    def _clean(self, record: Answer | Mishap) -> bytes:
        return self._redaction.document(_ENCODER.encode(record))

    def _keep(self, recorded: Recorded) -> None:
        self._tape.append(msgspec.to_builtins(recorded), lasting=True)


def cleaned_request(request: Request, redaction: Redaction) -> Request:
    """The request as a tape has it: without secrets."""
    encoded = _ENCODER.encode(request)
    cleaned = redaction.document(encoded)
    return request if cleaned == encoded else _REQUEST.decode(cleaned)
