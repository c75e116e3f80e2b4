"""The way in: a file or a text becomes a process, or a report of all that is wrong."""

import os
from dataclasses import dataclass
from pathlib import Path

from saniwa.core.document import Document, Format, read_file, read_text
from saniwa.core.errors import DocumentError
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.process.authoring.draft import definition_of
from saniwa.process.authoring.lint import check
from saniwa.process.authoring.page import Page
from saniwa.process.authoring.reading.whole import draft_of
from saniwa.process.definition import Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What came of reading a definition."""

    process: Process | None
    """The process; None where anything keeps it from being used."""
    report: Report
    """Everything found, in reading order."""
    document: Document
    """What was read; empty where it is neither JSON nor YAML."""


def read_process(path: str | os.PathLike[str]) -> Read:
    """Read the definition in a file; its format is told by the end of its name.

    Never raises for what the file holds, or that it cannot be read: that is reported.
    """
    file = os.fspath(path)
    try:
        return read_document(read_file(file))
    except DocumentError as problem:
        return _unread(problem, file, _text_of(file, problem))


def read_process_text(text: str, file: str = "", format: Format = "yaml") -> Read:
    """Read the definition in a text; `file` is what places are named after."""
    try:
        return read_document(read_text(text, file, format))
    except DocumentError as problem:
        return _unread(problem, file, text)


def read_document(document: Document) -> Read:
    """Read the definition in a document."""
    page = Page(document)
    draft = draft_of(page)
    check(page, draft)
    process = definition_of(draft) if page.passed else None
    return Read(process=process, report=page.report(), document=document)


def _text_of(file: str, problem: DocumentError) -> str:
    """The text that is no document, to quote the line that is wrong."""
    if problem.code != "DOCUMENT_SYNTAX":
        return ""
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return ""


def _unread(problem: DocumentError, file: str, text: str = "") -> Read:
    finding = Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(file=file),
        hint=problem.hint,
    )
    document = Document(plain=None, file=file, text=text)
    return Read(process=None, report=Report((finding,)), document=document)
