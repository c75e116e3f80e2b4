"""Canned answers in a file: JSON lines, YAML or JSON."""

from pathlib import Path
from typing import Any, Final, get_args

from saniwa.agent.bridges.canned import Canned, Line
from saniwa.agent.oracle import Answer, Finish
from saniwa.core.document import read_file, read_text
from saniwa.core.errors import ConfigurationError, DocumentError
from saniwa.core.finding import Finding
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.small_file import small_file
from saniwa.core.where import Where

LARGEST: Final = 20_000_000
"""Bytes of a file of JSON lines."""
_KEYS: Final = ("text", "when", "finish")
_TOP: Final = ("answers", "repeat")


def canned_file(path: str | Path) -> Canned:
    """The answers in a file, ready to be given.

    A `.jsonl` file has one answer a line, any other is a list of answers, or a mapping
    with `answers` and `repeat`. An answer is a text, or `text` with `when` and `finish`.

    Raises:
        ConfigurationError: `CANNED_UNFIT`, with every finding in its details.
        DocumentError: It cannot be read, or is no JSON or YAML.
    """
    name = str(path)
    reading = _Reading(name)
    lines, repeat = reading.jsonl() if name.endswith(".jsonl") else reading.document()
    reading.settle()
    return Canned(lines, repeat=repeat, model=f"canned:{Path(path).name}")


class _Reading:
    """One file, and everything found in it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: list[Finding] = []

    def jsonl(self) -> tuple[list[Line], bool]:
        """The answers of a file with one a line; empty lines do not count."""
        try:
            text = small_file(self._name, LARGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            self._wrong(f"it cannot be read: {problem}", Where(file=self._name))
            return [], False
        lines = []
        for number, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                lines += self._row(row, number)
        return lines, False

    def _row(self, row: str, number: int) -> list[Line]:
        try:
            plain = read_text(row, self._name, "json").plain
        except DocumentError as problem:
            column = problem.where.column if problem.where is not None else 0
            where = Where(file=self._name, line=number, column=column)
            return self._wrong(problem.message, where)
        return self._line(plain, Where(file=self._name, line=number, column=1))

    def document(self) -> tuple[list[Line], bool]:
        """The answers of a document."""
        document = read_file(self._name)
        self._found += document.findings
        plain, repeat = document.plain, False
        path: tuple[str, ...] = ()
        if isinstance(plain, dict):
            self._unknown(plain, _TOP, document.where())
            repeat, plain = plain.get("repeat", False), plain.get("answers")
            path = ("answers",)
        if not isinstance(plain, list) or not isinstance(repeat, bool):
            shape = "a list of answers, or 'answers' and 'repeat' (true or false)"
            self._wrong(f"the file must be {shape}", document.where())
            return [], False
        lines = []
        for index, said in enumerate(plain):
            lines += self._line(said, document.where((*path, index)))
        return lines, repeat

    def settle(self) -> None:
        """Go on only if nothing was found.

        Raises:
            ConfigurationError: `CANNED_UNFIT`.
        """
        if not self._found:
            return
        first, *more = self._found
        others = f", and {len(more)} more" if more else ""
        raise ConfigurationError(
            "CANNED_UNFIT",
            f"{self._name!r} holds no canned answers: {first.message}{others}",
            where=first.where,
            hint=first.hint
            or "an answer is a text, or 'text' with 'when' and 'finish'",
            details={"findings": [each.as_document() for each in self._found]},
        )

    def _line(self, said: Any, where: Where) -> list[Line]:
        model = f"canned:{Path(self._name).name}"
        if isinstance(said, str):
            return [Line(answer=Answer(text=said, model=model))]
        if not isinstance(said, dict):
            return self._wrong(f"an answer is a text, and not {quoted(said)}", where)
        self._unknown(said, _KEYS, where)
        text, when = said.get("text"), said.get("when", "")
        finish = said.get("finish", "stop")
        if not isinstance(text, str) or not isinstance(when, str):
            return self._wrong("'text' and 'when' of an answer are texts", where)
        if finish not in get_args(Finish):
            known = ", ".join(get_args(Finish))
            return self._wrong(
                f"'finish' is one of {known}, and not {quoted(finish)}", where
            )
        return [Line(answer=Answer(text=text, finish=finish, model=model), when=when)]

    def _unknown(
        self, said: dict[str, Any], known: tuple[str, ...], where: Where
    ) -> None:
        for key in said:
            if key not in known:
                hint = did_you_mean(key, known) or f"known are: {', '.join(known)}"
                self._wrong(f"nothing here is called {quoted(key)}", where, hint)

    def _wrong(self, message: str, where: Where, hint: str = "") -> list[Line]:
        finding = Finding(code="CANNED_UNFIT", message=message, where=where, hint=hint)
        self._found.append(finding)
        return []
