"""Playing back a tape: the same questions, the same answers, and no model."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import msgspec

from saniwa.agent.bridges.clean import clean_answer, clean_error, clean_request
from saniwa.agent.bridges.tape.recorded import Recorded
from saniwa.agent.bridges.text import tell
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.agent.ports import Journal
from saniwa.core.errors import SdkBridgeError, StoreError
from saniwa.core.quoted import cut, quoted
from saniwa.core.redaction import Redaction

_COMPARED: Final = 2_000
_CLIPPED: Final = 2_000
_AROUND: Final = 24


class Replaying:
    """Answers from a tape alone.

    The same request asked several times gets its answers in the order in which they were
    recorded; an error that was recorded is raised again.
    """

    def __init__(self, tape: Journal, redaction: Redaction) -> None:
        """Read the whole tape.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        self._redaction = redaction
        self._kept: dict[str, list[Recorded]] = defaultdict(list)
        self._asked: dict[str, int] = defaultdict(int)
        self._resumes = False
        try:
            for number, entry in enumerate(tape.entries(), start=1):
                recorded = _recorded(entry, number)
                self._kept[recorded.key].append(recorded)
        finally:
            tape.close()

    def go_on(self, keys: Iterable[str]) -> None:
        """Count the next answer to each of these questions as given.

        An error that had stopped whoever asked is not raised again if the tape has what
        came when they asked once more: the next question goes on after it.
        """
        for key in keys:
            lines = self._kept.get(key, [])
            after = self._answered(lines, self._asked[key])
            self._asked[key] = min(after + 1, len(lines))
        self._resumes = True

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The next recorded answer to this request.

        Raises:
            SdkBridgeError: `RECORDING_MISSING`, or the error that was recorded.
        """
        asked = clean_request(request, self._redaction)
        key = asked.key
        kept = self._kept.get(key, [])
        turn = self._turn(key, kept)
        if turn >= len(kept):
            raise self._missing(asked, len(kept))
        self._asked[key] = turn + 1
        recorded = kept[turn]
        if recorded.error is not None:
            raise clean_error(recorded.error.error(), self._redaction)
        assert recorded.answer is not None, "a line without an error has an answer"
        answer = clean_answer(recorded.answer, self._redaction)
        tell(answer.text, hear)
        return answer

    async def close(self) -> None:
        """Nothing is held; more than once is no mistake."""

    def _turn(self, key: str, kept: list[Recorded]) -> int:
        turn = self._asked[key]
        if not self._resumes:
            return turn
        self._resumes = False
        after = self._answered(kept, turn)
        return after if after < len(kept) else turn

    @staticmethod
    def _answered(lines: list[Recorded], start: int) -> int:
        """The next line with an answer; behind the last where there is none."""
        rest = range(start, len(lines))
        return next((n for n in rest if lines[n].answer is not None), len(lines))

    def _missing(self, asked: Request, kept: int) -> SdkBridgeError:
        message = "no answer to this request is recorded"
        details: dict[str, object] = {"key": asked.key, "recorded": kept}
        if kept:
            times = "once" if kept == 1 else f"{kept} times"
            message = f"this request was answered {times} when it was recorded, and is asked once more"
        elif near := self._nearest(asked):
            details["nearest"] = near.key
            message += f"; the nearest one {_difference(near.request, asked)}"
        return SdkBridgeError(
            "RECORDING_MISSING",
            message,
            hint="record it again: something the model is told has changed",
            details=details,
        )

    def _nearest(self, asked: Request) -> Recorded | None:
        from rapidfuzz import fuzz, process

        newest = list(self._kept.values())[-_COMPARED:]
        texts = [_clipped(told(each[0].request)) for each in newest]
        found = process.extractOne(_clipped(told(asked)), texts, scorer=fuzz.ratio)
        return newest[found[2]][0] if found is not None else None


def _recorded(entry: dict[str, object], number: int) -> Recorded:
    try:
        recorded = msgspec.convert(entry, Recorded)
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


def told(request: Request) -> str:
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


def _clipped(text: str) -> str:
    # What changes from question to question stands at the end; what never does, first.
    return text[-_CLIPPED:]


def _difference(recorded: Request, asked: Request) -> str:
    one, other = told(recorded), told(asked)
    alike = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    start = max(alike - _AROUND, 0)
    was, now = (quoted(cut(text[start : alike + _AROUND], 58)) for text in (one, other))
    return f"differs from letter {alike + 1} on: recorded {was}, asked {now}"
