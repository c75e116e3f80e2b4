"""The journal port; recording every request with its answer, and replaying a recording.

`RecordingOracle` writes, `ReplayingOracle` answers from the recording without a model.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, Final, Protocol

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError, StoreError
from saniwa.core.redaction import Redactor
from saniwa.core.text import quote_value, replace_surrogates, truncate
from saniwa.models import describe
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    OracleWrapper,
    TextListener,
    ToolCall,
    ToolOffer,
    ToolOutput,
    identify_call,
    stream_text,
)
from saniwa.models.redaction import redact_answer, redact_error, redact_request


class AgentJournal(Protocol):
    """An agent's own trace: entries are appended and never edited.

    The entries of one agent are all that is needed to resume it.
    """

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Append an entry after all others; it survives the end of this process.

        A `lasting` entry, and all before it, also survives a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Iterate over all entries, in order.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """

    def close(self) -> None:
        """Flush and release the file. May be called more than once."""


_ERROR_CLASSES: Final = {
    kind.__name__: kind for kind in (SdkConnectionError, SdkRateLimitError, SdkBridgeError)
}
_ERROR_FACTS: Final = ("hint", "recoverable", "details")


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Records are written in camelCase; defaults are omitted."""


class RecordedError(_Record, frozen=True):
    """An error that was raised instead of an answer."""

    kind: str
    """Its class."""
    code: str
    """Its code."""
    message: str
    """What went wrong."""
    hint: str = ""
    """What to do."""
    recoverable: bool = False
    """Whether the same request may succeed later."""
    details: dict[str, Any] = {}
    """The values involved."""

    @classmethod
    def from_error(cls, problem: SdkBridgeError) -> "RecordedError":
        """Convert an error to its record."""
        kinds = (kind.__name__ for kind in type(problem).__mro__)
        kind = next(name for name in kinds if name in _ERROR_CLASSES)
        facts = {name: getattr(problem, name) for name in ("code", "message", *_ERROR_FACTS)}
        return cls(kind=kind, **facts)

    def to_error(self) -> SdkBridgeError:
        """Convert the record back to the error."""
        facts = {name: getattr(self, name) for name in _ERROR_FACTS}
        return _ERROR_CLASSES.get(self.kind, SdkBridgeError)(self.code, self.message, **facts)


class RecordedAnswer(_Record, frozen=True):
    """One line of a recording."""

    key: str
    """The key of the request."""
    request: OracleRequest
    """The request; secrets are replaced by a mark."""
    answer: OracleAnswer | None = None
    """The answer, unless there is an error."""
    error: RecordedError | None = None
    """The error, unless there is an answer."""


class RecordedToolCall(_Record, frozen=True):
    """One line of a recording: a tool call and its result."""

    tool: str
    """The tool."""
    output: ToolOutput
    """Its result; secrets are replaced by a mark."""
    arguments: dict[str, Any] = {}
    """Its arguments; secrets are replaced by a mark."""
    entries: tuple[dict[str, Any], ...] = ()
    """What the journal says about it before its result, without what names the call."""


warm_decoders(RecordedAnswer, RecordedToolCall)


class RecordingOracle(OracleWrapper):
    """Answers as its oracle does, and records each answer before returning it.

    It returns exactly what was written, with secrets replaced, so that a replay is the
    same byte for byte. Bridge errors are recorded too; cancellation is not.
    """

    def __init__(self, oracle: Oracle, recording: AgentJournal, redaction: Redactor) -> None:
        super().__init__(oracle)
        self._recording = recording
        self._redaction = redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer after recording it.

        Raises:
            SdkBridgeError: As the oracle; recorded as well.
            StoreError: `TRACE_UNWRITABLE`: an answer that cannot be recorded is not
                returned.
        """
        asked = redact_request(request, self._redaction)
        record = RecordedAnswer(key=asked.key, request=asked)
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            failure = RecordedError.from_error(redact_error(problem, self._redaction))
            self._append_record(record, error=failure)
            raise failure.to_error() from None
        clean = msgspec.structs.replace(answer, text=replace_surrogates(answer.text))
        redacted = redact_answer(clean, self._redaction)
        self._append_record(record, answer=redacted)
        return redacted

    async def close(self) -> None:
        """Close the oracle and the recording. May be called more than once."""
        try:
            await super().close()
        finally:
            self._recording.close()

    def _append_record(self, record: RecordedAnswer, **outcome: Any) -> None:
        whole = msgspec.structs.replace(record, **outcome)
        self._recording.append(msgspec.to_builtins(whole), lasting=True)


_MOST_COMPARED: Final = 2_000
_LONGEST_COMPARED: Final = 2_000
_AROUND: Final = 24


class ReplayingOracle:
    """Answers from a recording alone.

    The same request asked several times gets its answers in recorded order; a recorded
    error is raised again.
    """

    def __init__(self, recording: AgentJournal, redaction: Redactor) -> None:
        """Read the whole recording.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        self._redaction = redaction
        self._recorded: dict[str, list[RecordedAnswer]] = defaultdict(list)
        self._next_index: dict[str, int] = defaultdict(int)
        self._resumes = False
        try:
            for number, entry in enumerate(recording.read_entries(), start=1):
                if "tool" in entry:
                    continue
                recorded = _parse_record(entry, number)
                self._recorded[recorded.key].append(recorded)
        finally:
            recording.close()

    def skip_given(self, keys: Iterable[str]) -> None:
        """Mark the next answer to each of these questions as given.

        A recorded error that stopped the agent is not raised again if the recording
        also has the result of asking once more: the next question continues after it.
        """
        for key in keys:
            lines = self._recorded.get(key, [])
            after = self._find_answered(lines, self._next_index[key])
            self._next_index[key] = min(after + 1, len(lines))
        self._resumes = True

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the next recorded answer to this request.

        Raises:
            SdkBridgeError: `RECORDING_MISSING`, or the recorded error.
        """
        asked = redact_request(request, self._redaction)
        key = asked.key
        lines = self._recorded.get(key, [])
        turn = self._find_turn(key, lines)
        if turn >= len(lines):
            raise self._make_missing_error(asked, len(lines))
        self._next_index[key] = turn + 1
        recorded = lines[turn]
        if recorded.error is not None:
            raise redact_error(recorded.error.to_error(), self._redaction)
        assert recorded.answer is not None, "a line without an error has an answer"
        answer = redact_answer(recorded.answer, self._redaction)
        stream_text(answer.text, hear)
        return answer

    async def close(self) -> None:
        """Do nothing: there is nothing to release. May be called more than once."""

    def _find_turn(self, key: str, lines: list[RecordedAnswer]) -> int:
        turn = self._next_index[key]
        if not self._resumes:
            return turn
        self._resumes = False
        after = self._find_answered(lines, turn)
        return after if after < len(lines) else turn

    @staticmethod
    def _find_answered(lines: list[RecordedAnswer], start: int) -> int:
        """Return the index of the next line with an answer, or the number of lines."""
        rest = range(start, len(lines))
        return next((n for n in rest if lines[n].answer is not None), len(lines))

    def _make_missing_error(self, asked: OracleRequest, count: int) -> SdkBridgeError:
        message = "no answer to this request is recorded"
        details: dict[str, object] = {"key": asked.key, "recorded": count}
        if count:
            times = "once" if count == 1 else f"{count} times"
            message = f"this request was recorded {times}, but is made once more"
        elif near := self._find_nearest(asked):
            details["nearest"] = near.key
            message += f"; the nearest one {_describe_difference(near.request, asked)}"
        return SdkBridgeError(
            "RECORDING_MISSING",
            message,
            hint="record it again; the model's input has changed",
            details=details,
        )

    def _find_nearest(self, asked: OracleRequest) -> RecordedAnswer | None:
        from rapidfuzz import fuzz, process

        newest = list(self._recorded.values())[-_MOST_COMPARED:]
        # Requests differ at the end; what never changes comes first.
        latest, *texts = (
            render_request(each)[-_LONGEST_COMPARED:]
            for each in (asked, *(lines[0].request for lines in newest))
        )
        found = process.extractOne(latest, texts, scorer=fuzz.ratio)
        return newest[found[2]][0] if found is not None else None


def _parse_record(entry: dict[str, object], number: int) -> RecordedAnswer:
    try:
        recorded = msgspec.convert(entry, RecordedAnswer)
        if (recorded.answer is None) == (recorded.error is None):
            raise msgspec.ValidationError("it has neither answer nor error, or both")
        if recorded.key != recorded.request.key:
            raise msgspec.ValidationError("its key is not that of its request")
    except msgspec.ValidationError as problem:
        raise _make_corrupt_error(number, problem) from problem
    return recorded


def _make_corrupt_error(number: int, problem: Exception) -> StoreError:
    return describe("TRACE_CORRUPT", line=number, problem=problem).to_error(StoreError)


class ToolRecording:
    """Records the result of each tool call, between the answers of the model."""

    def __init__(self, recording: AgentJournal, redaction: Redactor) -> None:
        self._recording = recording
        self._redaction = redaction

    def append(self, call: ToolCall, output: ToolOutput, entries: Iterable[dict[str, Any]]) -> None:
        """Record a result before it is used.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        record = RecordedToolCall(
            tool=call.name,
            arguments=self._redaction.redact_values(call.arguments),
            output=output,
            entries=tuple(self._redaction.redact_values(list(entries))),
        )
        self._recording.append(msgspec.to_builtins(record), lasting=True)


class ToolReplay:
    """Gives the recorded results of tool calls; equal calls get theirs in order."""

    def __init__(self, recording: AgentJournal, past: Iterable[str] = ()) -> None:
        """Read the whole recording; `past` are the keys of calls that were finished.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        self._calls: dict[str, list[RecordedToolCall]] = defaultdict(list)
        self.offers: tuple[ToolOffer, ...] = ()
        """The tools that the model was offered."""
        try:
            for number, entry in enumerate(recording.read_entries(), start=1):
                if "tool" in entry:
                    self._read_line(entry, number)
                elif not self.offers:
                    self.offers = _parse_record(entry, number).request.tools
        finally:
            recording.close()
        for key in past:
            del self._calls[key][:1]

    def _read_line(self, entry: dict[str, Any], number: int) -> None:
        try:
            recorded = msgspec.convert(entry, RecordedToolCall)
        except msgspec.ValidationError as problem:
            raise _make_corrupt_error(number, problem) from problem
        self._calls[identify_call(recorded.tool, recorded.arguments)].append(recorded)

    def take(self, call: ToolCall) -> RecordedToolCall:
        """Return the next recorded call that is equal to this one.

        Raises:
            SdkBridgeError: `RECORDING_MISSING`.
        """
        recorded = self._calls[identify_call(call.name, call.arguments)]
        if not recorded:
            raise describe("RECORDING_MISSING", tool=call.name, arguments=call.arguments).to_error(
                SdkBridgeError
            )
        return recorded.pop(0)


def render_request(request: OracleRequest) -> str:
    """Render everything the model is given as one text to compare."""
    system = [f"system: {request.system}"] if request.system else []
    messages = [
        f"{each.role}: {' '.join(map(_render_part, each.identity[1:]))}"
        for each in request.messages
    ]
    settings = [
        f"max_tokens: {request.max_tokens}",
        f"temperature: {request.temperature}",
        f"seed: {request.seed}",
        f"schema: {request.schema}",
    ]
    tools = [f"tools: {_render_part(request.tools)}"] if request.tools else []
    return "\n".join([*system, *messages, *tools, *settings])


def _render_part(part: Any) -> str:
    return part if isinstance(part, str) else msgspec.json.encode(part).decode()


def _describe_difference(recorded: OracleRequest, asked: OracleRequest) -> str:
    one, other = render_request(recorded), render_request(asked)
    pairs = zip(one, other, strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = max(alike - _AROUND, 0)
    was, now = (quote_value(truncate(text[start : alike + _AROUND], 58)) for text in (one, other))
    return f"differs from character {alike + 1} on: recorded {was}, asked {now}"
