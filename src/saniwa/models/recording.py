"""Keeping every request and what came of it, so that it can be played back."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from saniwa.core.errors import (
    SdkBridgeError,
    SdkConnectionError,
    SdkRateLimitError,
    StoreError,
)
from saniwa.core.redaction import Redactor
from saniwa.core.text import quote_value, truncate
from saniwa.core.text_encoding import replace_surrogates
from saniwa.core.warm_decoders import warm_decoders
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    stream_text,
)
from saniwa.models.ports import AgentJournal
from saniwa.models.redaction import redact_answer, redact_error, redact_request

_ERROR_CLASSES: Final = {
    kind.__name__: kind
    for kind in (SdkConnectionError, SdkRateLimitError, SdkBridgeError)
}


class _Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Records are written in camelCase; what was not said takes no room."""


class RecordedError(_Record, frozen=True):
    """An error that came instead of an answer."""

    kind: str
    """Its class."""
    code: str
    """Its code."""
    message: str
    """What was wrong."""
    hint: str = ""
    """What to do."""
    recoverable: bool = False
    """Whether the same may succeed later."""
    details: dict[str, Any] = {}
    """The values involved."""

    @classmethod
    def from_error(cls, problem: SdkBridgeError) -> "RecordedError":
        """The error, as it is kept."""
        kinds = (kind.__name__ for kind in type(problem).__mro__)
        return cls(
            kind=next(name for name in kinds if name in _ERROR_CLASSES),
            code=problem.code,
            message=problem.message,
            hint=problem.hint,
            recoverable=problem.recoverable,
            details=problem.details,
        )

    def to_error(self) -> SdkBridgeError:
        """The error again."""
        return _ERROR_CLASSES.get(self.kind, SdkBridgeError)(
            self.code,
            self.message,
            hint=self.hint,
            recoverable=self.recoverable,
            details=self.details,
        )


class RecordedAnswer(_Record, frozen=True):
    """One line of a tape."""

    key: str
    """What the request is known by."""
    request: OracleRequest
    """What was asked; secrets are replaced by a mark."""
    answer: OracleAnswer | None = None
    """What was said."""
    error: RecordedError | None = None
    """What came instead."""


warm_decoders(RecordedAnswer)


class RecordingOracle:
    """Answers as its oracle does, and keeps it: on the tape before anybody uses it.

    What is handed on is what was written, with secrets replaced, so that the playback is
    the same byte for byte. The errors of the bridge are kept too; being cancelled is not.
    """

    def __init__(self, oracle: Oracle, tape: AgentJournal, redaction: Redactor) -> None:
        self._oracle = oracle
        self._tape = tape
        self._redaction = redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer, kept.

        Raises:
            SdkBridgeError: What the oracle says; kept as well.
            StoreError: `TRACE_UNWRITABLE`: nobody may use what could not be kept.
        """
        asked = redact_request(request, self._redaction)
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            mishap = RecordedError.from_error(redact_error(problem, self._redaction))
            self._append_record(
                RecordedAnswer(key=asked.key, request=asked, error=mishap)
            )
            raise mishap.to_error() from None
        whole = msgspec.structs.replace(answer, text=replace_surrogates(answer.text))
        kept = redact_answer(whole, self._redaction)
        self._append_record(RecordedAnswer(key=asked.key, request=asked, answer=kept))
        return kept

    async def close(self) -> None:
        """Let go of the oracle and the tape; more than once is no mistake."""
        try:
            await self._oracle.close()
        finally:
            self._tape.close()

    def _append_record(self, recorded: RecordedAnswer) -> None:
        self._tape.append(msgspec.to_builtins(recorded), lasting=True)


_MOST_COMPARED: Final = 2_000
_LONGEST_COMPARED: Final = 2_000
_AROUND: Final = 24


class ReplayingOracle:
    """Answers from a tape alone.

    The same request asked several times gets its answers in the order in which they were
    recorded; an error that was recorded is raised again.
    """

    def __init__(self, tape: AgentJournal, redaction: Redactor) -> None:
        """Read the whole tape.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        self._redaction = redaction
        self._kept: dict[str, list[RecordedAnswer]] = defaultdict(list)
        self._asked: dict[str, int] = defaultdict(int)
        self._resumes = False
        try:
            for number, entry in enumerate(tape.read_entries(), start=1):
                recorded = _parse_record(entry, number)
                self._kept[recorded.key].append(recorded)
        finally:
            tape.close()

    def skip_given(self, keys: Iterable[str]) -> None:
        """Count the next answer to each of these questions as given.

        An error that had stopped whoever asked is not raised again if the tape has what
        came when they asked once more: the next question goes on after it.
        """
        for key in keys:
            lines = self._kept.get(key, [])
            after = self._find_answered(lines, self._asked[key])
            self._asked[key] = min(after + 1, len(lines))
        self._resumes = True

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The next recorded answer to this request.

        Raises:
            SdkBridgeError: `RECORDING_MISSING`, or the error that was recorded.
        """
        asked = redact_request(request, self._redaction)
        key = asked.key
        kept = self._kept.get(key, [])
        turn = self._find_turn(key, kept)
        if turn >= len(kept):
            raise self._make_missing_error(asked, len(kept))
        self._asked[key] = turn + 1
        recorded = kept[turn]
        if recorded.error is not None:
            raise redact_error(recorded.error.to_error(), self._redaction)
        assert recorded.answer is not None, "a line without an error has an answer"
        answer = redact_answer(recorded.answer, self._redaction)
        stream_text(answer.text, hear)
        return answer

    async def close(self) -> None:
        """Nothing is held; more than once is no mistake."""

    def _find_turn(self, key: str, kept: list[RecordedAnswer]) -> int:
        turn = self._asked[key]
        if not self._resumes:
            return turn
        self._resumes = False
        after = self._find_answered(kept, turn)
        return after if after < len(kept) else turn

    @staticmethod
    def _find_answered(lines: list[RecordedAnswer], start: int) -> int:
        """The next line with an answer; behind the last where there is none."""
        rest = range(start, len(lines))
        return next((n for n in rest if lines[n].answer is not None), len(lines))

    def _make_missing_error(self, asked: OracleRequest, kept: int) -> SdkBridgeError:
        message = "no answer to this request is recorded"
        details: dict[str, object] = {"key": asked.key, "recorded": kept}
        if kept:
            times = "once" if kept == 1 else f"{kept} times"
            message = f"this request was answered {times} when it was recorded, and is asked once more"
        elif near := self._find_nearest(asked):
            details["nearest"] = near.key
            message += f"; the nearest one {_describe_difference(near.request, asked)}"
        return SdkBridgeError(
            "RECORDING_MISSING",
            message,
            hint="record it again: something the model is told has changed",
            details=details,
        )

    def _find_nearest(self, asked: OracleRequest) -> RecordedAnswer | None:
        from rapidfuzz import fuzz, process

        newest = list(self._kept.values())[-_MOST_COMPARED:]
        texts = [_clip_text(render_request(each[0].request)) for each in newest]
        found = process.extractOne(
            _clip_text(render_request(asked)), texts, scorer=fuzz.ratio
        )
        return newest[found[2]][0] if found is not None else None


def _parse_record(entry: dict[str, object], number: int) -> RecordedAnswer:
    try:
        recorded = msgspec.convert(entry, RecordedAnswer)
        if (recorded.answer is None) == (recorded.error is None):
            raise msgspec.ValidationError("it has neither answer nor error, or both")
        if recorded.key != recorded.request.key:
            raise msgspec.ValidationError("its key is not that of its request")
    except msgspec.ValidationError as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"line {number} of the tape is no recorded answer: {problem}",
            hint="bring the file back from a copy, or record it again",
            details={"line": number},
        ) from problem
    return recorded


def render_request(request: OracleRequest) -> str:
    """Everything the model is told, as one text to compare."""
    system = [f"system: {request.system}"] if request.system else []
    said = [f"{each.role}: {each.text}" for each in request.messages]
    how = [
        f"max_tokens: {request.max_tokens}",
        f"temperature: {request.temperature}",
        f"seed: {request.seed}",
        f"schema: {request.schema}",
    ]
    return "\n".join([*system, *said, *how])


def _clip_text(text: str) -> str:
    # What changes from question to question stands at the end; what never does, first.
    return text[-_LONGEST_COMPARED:]


def _describe_difference(recorded: OracleRequest, asked: OracleRequest) -> str:
    one, other = render_request(recorded), render_request(asked)
    alike = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    start = max(alike - _AROUND, 0)
    was, now = (
        quote_value(truncate(text[start : alike + _AROUND], 58))
        for text in (one, other)
    )
    return f"differs from letter {alike + 1} on: recorded {was}, asked {now}"
