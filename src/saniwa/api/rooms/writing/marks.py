"""Findings as an editor marks them in a text."""

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from saniwa.core.finding import Finding, Severity

MOST: Final = 300
"""Findings that are told."""
_WORD: Final = re.compile(r"[^\s,;:(){}\[\]]+|\S")
_OFFERED: Final = re.compile(r"did you mean '([^']+)'\?")
_NAMED: Final = re.compile(r"'([^']+)'")
_BREAK: Final = re.compile(r"\r\n|\n|\r")


class Rewrite(msgspec.Struct, frozen=True, kw_only=True):
    """A cure that can be applied: some letters of a line, written differently."""

    line: int
    """The line, from 1."""
    column: int
    """The first letter, from 1."""
    length: int
    """How many letters there are."""
    text: str
    """What to write instead."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and the letters it is about."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: Severity
    """Only errors keep a text from being used."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    file: str = ""
    """The file; empty for the text itself."""
    line: int = 0
    """The line, from 1; 0 where no line is known."""
    column: int = 0
    """The first letter, from 1; 0 where none is known."""
    end: int = 0
    """The column behind the last letter; 0 for the end of the line."""
    path: str = ""
    """The way through a document."""
    rewrite: Rewrite | None = None
    """The cure, where it can be applied."""


def marks(findings: Iterable[Finding], text: str, file: str) -> list[Mark]:
    """Findings as marks; those of the text itself name no file."""
    lines = _BREAK.split(text)
    told = sorted(findings, key=lambda each: each.severity != "error")[:MOST]
    found = [_mark(each, lines, file) for each in told]
    return sorted(found, key=lambda each: (each.file, each.line, each.column))


def _mark(finding: Finding, lines: list[str], file: str) -> Mark:
    where = finding.where
    here = where.file in ("", file)
    rewrite = (_rewrite(finding.details) or _offered(finding, lines)) if here else None
    return Mark(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        hint=finding.hint,
        file="" if here else where.file,
        line=where.line,
        column=where.column,
        end=_end(lines, where.line, where.column, rewrite) if here else 0,
        path=where.path,
        rewrite=rewrite,
    )


def _end(lines: list[str], line: int, column: int, rewrite: Rewrite | None) -> int:
    """Where a mark ends: with what would be rewritten, else with the word."""
    if rewrite is not None and (rewrite.line, rewrite.column) == (line, column):
        return column + rewrite.length
    if not 0 < line <= len(lines) or column < 1:
        return 0
    word = _WORD.match(lines[line - 1], column - 1)
    return word.end() + 1 if word else 0


def _offered(finding: Finding, lines: list[str]) -> Rewrite | None:
    """The name that a hint offers for the very one that stands there."""
    offered, where = _OFFERED.fullmatch(finding.hint), finding.where
    if offered is None or not 0 < where.line <= len(lines) or where.column < 1:
        return None
    rest = lines[where.line - 1][where.column - 1 :]
    for named in _NAMED.findall(finding.message):
        if rest.startswith(named):
            return Rewrite(
                line=where.line,
                column=where.column,
                length=len(named),
                text=offered[1],
            )
    return None


def _rewrite(details: dict[str, Any]) -> Rewrite | None:
    told = details.get("rewrite")
    if not isinstance(told, dict):
        return None
    return Rewrite(
        line=told["line"],
        column=told["column"],
        length=told["length"],
        text=told["text"],
    )
