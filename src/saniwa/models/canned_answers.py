"""Canned answers: an oracle that gives them in order, and the file they are read from."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from saniwa.core.errors import ConfigurationError, DocumentError, SdkBridgeError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value, replace_surrogates
from saniwa.documents.document import load_document, parse_document
from saniwa.models import describe
from saniwa.models.oracle import (
    FinishReason,
    OracleAnswer,
    OracleRequest,
    TextListener,
    ToolCall,
    identify_answer,
    stream_text,
)

AnswerFunction = Callable[[OracleRequest], str | OracleAnswer]
"""Makes an answer from a request."""


class CannedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One prepared answer."""

    answer: OracleAnswer
    """The answer."""
    when: str = ""
    """Text that the question must contain for this answer to be used. Empty: the answer
    is used in order."""


class CannedOracle:
    """Answers from a list or with a function.

    An answer whose `when` occurs in the question comes before those without one. Each
    answer is used once. With `repeat`, they start again from the first.
    """

    def __init__(
        self,
        answers: Iterable[str | OracleAnswer | CannedAnswer] | AnswerFunction,
        *,
        repeat: bool = False,
        model: str = "canned",
    ) -> None:
        self._function = answers if callable(answers) else None
        lines = [] if callable(answers) else [_to_canned_answer(each, model) for each in answers]
        self._lines = lines
        self._unused = [True] * len(lines)
        self._repeat = repeat
        self._model = model

    def skip_given(self, texts: Iterable[str]) -> None:
        """Mark answers as used: for each text, the first unused answer with that text.

        Texts that match no answer are ignored; another oracle gave them.
        """
        alike: dict[str, list[int]] = defaultdict(list)
        for n, line in enumerate(self._lines):
            clean = replace_surrogates(line.answer.text)
            alike[identify_answer(clean, line.answer.calls)].append(n)
        for text in texts:
            self._mark_given(alike.get(text, []))

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the answer to this question.

        Raises:
            SdkBridgeError: `CANNED_EXHAUSTED`.
        """
        answer = self._choose_answer(request)
        stream_text(answer.text, hear)
        return answer

    async def close(self) -> None:
        """Do nothing: there is nothing to release. May be called more than once."""

    def _choose_answer(self, request: OracleRequest) -> OracleAnswer:
        if self._function is not None:
            return _to_canned_answer(self._function(request), self._model).answer
        question = request.messages[-1].text
        whens = [line.when for line in self._lines]
        matching = [n for n, when in enumerate(whens) if when and when in question]
        plain = [n for n, when in enumerate(whens) if not when]
        for candidates in (matching, plain):
            taken = self._take_next(candidates, candidates)
            if taken is not None:
                return self._lines[taken].answer
        raise self._make_exhausted_error(question)

    def _mark_given(self, alike: list[int]) -> None:
        # If these answers had started again, so had all that share their `when`.
        whens = {self._lines[n].when for n in alike}
        self._take_next(alike, [n for n, line in enumerate(self._lines) if line.when in whens])

    def _take_next(self, candidates: list[int], restarted: list[int]) -> int | None:
        if self._repeat and not any(self._unused[n] for n in candidates):
            for n in restarted:
                self._unused[n] = True
        taken = next((n for n in candidates if self._unused[n]), None)
        if taken is not None:
            self._unused[taken] = False
        return taken

    def _make_exhausted_error(self, question: str) -> SdkBridgeError:
        given = self._unused.count(False)
        return describe(
            "CANNED_EXHAUSTED", given=given, answers=len(self._unused), question=question
        ).to_error(SdkBridgeError)


def _to_canned_answer(given: str | OracleAnswer | CannedAnswer, model: str) -> CannedAnswer:
    if isinstance(given, CannedAnswer):
        return given
    answer = OracleAnswer(text=given, model=model) if isinstance(given, str) else given
    return CannedAnswer(answer=answer)


LARGEST_FILE: Final = 20_000_000
"""The largest file of JSON lines that is read, in bytes."""


_ANSWER_KEYS: Final = ("text", "when", "finish", "calls")
_CALL_KEYS: Final = ("name", "arguments")


_TOP_KEYS: Final = ("answers", "repeat")


def load_canned_file(path: str | Path) -> CannedOracle:
    """Load an oracle from a file of answers.

    A `.jsonl` file has one answer per line. Any other file is a list of answers, or a
    mapping with `answers` and `repeat`. An answer is a text, or `text` with `when` and
    `finish`, or `calls` of tools, each with a `name` and `arguments`.

    Raises:
        ConfigurationError: `CANNED_UNFIT`, with every finding in its details.
        DocumentError: The file cannot be read, or is not JSON or YAML.
    """
    name = str(path)
    reading = _CannedFileReader(name)
    lines, repeat = (
        reading.read_json_lines() if name.endswith(".jsonl") else reading.read_document()
    )
    reading.raise_findings()
    return CannedOracle(lines, repeat=repeat, model=f"canned:{Path(path).name}")


class _CannedFileReader:
    """Reads one file and collects its findings."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: list[Finding] = []
        self._calls = 0

    def read_json_lines(self) -> tuple[list[CannedAnswer], bool]:
        """Read one answer per line; empty lines are skipped."""
        try:
            text = read_small_file(self._name, LARGEST_FILE).decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            self._add_finding(f"it cannot be read: {problem}", SourceLocation(file=self._name))
            return [], False
        lines = []
        for number, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                lines += self._read_row(row, number)
        return lines, False

    def _read_row(self, row: str, number: int) -> list[CannedAnswer]:
        try:
            plain = parse_document(row, self._name, "json").plain
        except DocumentError as problem:
            column = problem.where.column if problem.where is not None else 0
            where = SourceLocation(file=self._name, line=number, column=column)
            return self._add_finding(problem.message, where)
        return self._read_answer(plain, SourceLocation(file=self._name, line=number, column=1))

    def read_document(self) -> tuple[list[CannedAnswer], bool]:
        """Read the answers of a JSON or YAML document."""
        document = load_document(self._name)
        self._found += document.findings
        plain, repeat = document.plain, False
        path: tuple[str, ...] = ()
        if isinstance(plain, dict):
            self._check_keys(plain, _TOP_KEYS, document.locate())
            repeat, plain = plain.get("repeat", False), plain.get("answers")
            path = ("answers",)
        if not isinstance(plain, list) or not isinstance(repeat, bool):
            shape = "a list of answers, or 'answers' and 'repeat' (true or false)"
            self._add_finding(f"the file must be {shape}", document.locate())
            return [], False
        lines = []
        for index, value in enumerate(plain):
            lines += self._read_answer(value, document.locate((*path, index)))
        return lines, repeat

    def raise_findings(self) -> None:
        """Raise an error if there are findings.

        Raises:
            ConfigurationError: `CANNED_UNFIT`.
        """
        if self._found:
            first, others = self._found[0], len(self._found) - 1
            more = f", and {others} more" if others else ""
            raise describe(
                "CANNED_UNFIT",
                hint=first.hint,
                findings=[each.to_document() for each in self._found],
                name=self._name,
                problem=first.message,
                more=more,
            ).to_error(ConfigurationError, where=first.where)

    def _read_answer(self, value: Any, where: SourceLocation) -> list[CannedAnswer]:
        model = f"canned:{Path(self._name).name}"
        if isinstance(value, str):
            return [CannedAnswer(answer=OracleAnswer(text=value, model=model))]
        if not isinstance(value, dict):
            return self._add_finding(f"an answer must be a string, not {quote_value(value)}", where)
        self._check_keys(value, _ANSWER_KEYS, where)
        calls = self._read_calls(value.get("calls", []), where)
        text, when = value.get("text", "" if calls else None), value.get("when", "")
        finish = value.get("finish", "tool_call" if calls else "stop")
        if not isinstance(text, str) or not isinstance(when, str):
            return self._add_finding("'text' and 'when' of an answer must be strings", where)
        if finish not in get_args(FinishReason):
            known = ", ".join(get_args(FinishReason))
            return self._add_finding(
                f"'finish' is one of {known}, not {quote_value(finish)}", where
            )
        answer = OracleAnswer(text=text, finish=finish, model=model, calls=calls)
        return [CannedAnswer(answer=answer, when=when)]

    def _read_calls(self, value: Any, where: SourceLocation) -> tuple[ToolCall, ...]:
        calls = list[ToolCall]()
        for each in value if isinstance(value, list) else [value]:
            fields = each if isinstance(each, dict) else {}
            self._check_keys(fields, _CALL_KEYS, where)
            name, arguments = fields.get("name"), fields.get("arguments", {})
            if not isinstance(name, str) or not isinstance(arguments, dict):
                self._add_finding("a call has a 'name', and 'arguments' in a mapping", where)
                continue
            self._calls += 1
            calls.append(ToolCall(id=f"call-{self._calls}", name=name, arguments=arguments))
        return tuple(calls)

    def _check_keys(
        self, value: dict[str, Any], known: tuple[str, ...], where: SourceLocation
    ) -> None:
        for key in value:
            if key not in known:
                hint = suggest_nearest(key, known) or f"there are: {', '.join(known)}"
                self._add_finding(f"there is no key {quote_value(key)}", where, hint)

    def _add_finding(
        self, message: str, where: SourceLocation, hint: str = ""
    ) -> list[CannedAnswer]:
        finding = Finding(code="CANNED_UNFIT", message=message, where=where, hint=hint)
        self._found.append(finding)
        return []
