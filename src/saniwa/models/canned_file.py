"""Reads a file of canned answers."""

from pathlib import Path
from typing import Any, Final, get_args

from saniwa.core.errors import ConfigurationError, DocumentError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.documents.document import load_document, parse_document
from saniwa.models.canned_oracle import CannedAnswer, CannedOracle
from saniwa.models.oracle import FinishReason, OracleAnswer

LARGEST_FILE: Final = 20_000_000
"""The largest file of JSON lines that is read, in bytes."""


_ANSWER_KEYS: Final = ("text", "when", "finish")


_TOP_KEYS: Final = ("answers", "repeat")


def load_canned_file(path: str | Path) -> CannedOracle:
    """Load an oracle from a file of answers.

    A `.jsonl` file has one answer per line. Any other file is a list of answers, or a
    mapping with `answers` and `repeat`. An answer is a text, or `text` with `when` and
    `finish`.

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
            raise ConfigurationError(
                "CANNED_UNFIT",
                f"{self._name!r} holds no canned answers: {first.message}{more}",
                where=first.where,
                hint=first.hint or "an answer is a text, or 'text' with 'when' and 'finish'",
                details={"findings": [each.to_document() for each in self._found]},
            )

    def _read_answer(self, value: Any, where: SourceLocation) -> list[CannedAnswer]:
        model = f"canned:{Path(self._name).name}"
        if isinstance(value, str):
            return [CannedAnswer(answer=OracleAnswer(text=value, model=model))]
        if not isinstance(value, dict):
            return self._add_finding(f"an answer is a text, and not {quote_value(value)}", where)
        self._check_keys(value, _ANSWER_KEYS, where)
        text, when = value.get("text"), value.get("when", "")
        finish = value.get("finish", "stop")
        if not isinstance(text, str) or not isinstance(when, str):
            return self._add_finding("'text' and 'when' of an answer are texts", where)
        if finish not in get_args(FinishReason):
            known = ", ".join(get_args(FinishReason))
            return self._add_finding(
                f"'finish' is one of {known}, and not {quote_value(finish)}", where
            )
        return [CannedAnswer(answer=OracleAnswer(text=text, finish=finish, model=model), when=when)]

    def _check_keys(
        self, value: dict[str, Any], known: tuple[str, ...], where: SourceLocation
    ) -> None:
        for key in value:
            if key not in known:
                hint = suggest_nearest(key, known) or f"known are: {', '.join(known)}"
                self._add_finding(f"nothing here is called {quote_value(key)}", where, hint)

    def _add_finding(
        self, message: str, where: SourceLocation, hint: str = ""
    ) -> list[CannedAnswer]:
        finding = Finding(code="CANNED_UNFIT", message=message, where=where, hint=hint)
        self._found.append(finding)
        return []
