"""A layer as it is typed: read, with everything that is wrong and where."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from saniwa.core.document import Document, read_text
from saniwa.core.errors import DocumentError, RulebookError
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers, read_book
from saniwa.rulebook.notes import Notes

LONGEST = 200_000
"""Letters of a layer."""
Format = Literal["yaml", "json"]
"""How it is written."""
Below = Sequence[Mapping[str, Any]] | None
"""The layers below; None for those of the book that the layer itself extends."""


class LayerText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layer, as it is typed."""

    text: Annotated[str, msgspec.Meta(max_length=LONGEST)]
    """The text."""
    format: Format = "yaml"
    """How it is written."""


def read_layer(
    typed: LayerText, below: Below = None
) -> tuple[dict[str, Any], Rulebook]:
    """What was typed, if it is a layer, and the book it makes with what is below.

    Raises:
        DocumentError: It is no JSON or YAML.
        RulebookError: It is no layer, with every finding and its place.
    """
    return _made(read_text(typed.text, "", typed.format), below)


def findings_in(typed: LayerText, below: Below = None) -> tuple[Finding, ...]:
    """Everything there is to say about what was typed, in reading order."""
    try:
        document = read_text(typed.text, "", typed.format)
    except DocumentError as problem:
        return (_finding(problem),)
    try:
        _made(document, below)
    except RulebookError as problem:
        return Report.of((*document.findings, *_findings(problem))).findings
    return document.findings


def _made(document: Document, below: Below) -> tuple[dict[str, Any], Rulebook]:
    if not isinstance(document.plain, Mapping):
        kind = type(document.plain).__name__
        notes = Notes(document.where)
        notes.bad((), f"a rulebook is an object, not {kind}")
        raise notes.error()
    layer = dict(document.plain)
    if below is None:
        return layer, read_book(layer, document.where)
    return layer, book_from_layers((*below, layer), document.where)


def _finding(problem: DocumentError | RulebookError) -> Finding:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    )


def _findings(problem: RulebookError) -> list[Finding]:
    """All findings that an error stands for."""
    told = problem.details.get("findings")
    if not told:
        return [_finding(problem)]
    return [
        Finding(
            code=each["code"],
            severity=each["severity"],
            message=each["message"],
            where=Where(line=each["line"], column=each["column"], path=each["path"]),
            hint=each["hint"],
        )
        for each in told
    ]
