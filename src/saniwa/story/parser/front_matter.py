"""Parse front matter: the YAML between two lines of `---` that describes a story.

Also turns YAML errors into explanations for authors. Checks that need the whole story
are in `lint.declarations`.
"""

import re
from dataclasses import replace
from math import isfinite
from typing import Any, Final

from saniwa.core.errors import DocumentError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import Document, parse_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import (
    MAPPING,
    LocatedFields,
    Notation,
    RecordForm,
    ValueKind,
    is_well_formed,
    make_form,
)
from saniwa.story.elements import Declaration, FrontMatter, WorldReference
from saniwa.story.finding_collector import FindingCollector, make_finding
from saniwa.story.value_operations import LARGEST, LONGEST

_KEY = re.compile(r"[ \t]*([^\s:]+):[ \t]+(\S.*)").fullmatch
_WORD = re.compile(r"[^\s,:{}\[\]]+(?=[ \t]*:?\Z)").search
_CLOSERS: Final = {"{": "}", "[": "]"}
_CASES: Final = {
    "is not allowed here": "/colon",
    "no value can start": "/beginning",
    "does not fit": "/indent",
}
"""Cases of findings by words of the YAML parser."""
_YamlMistake = tuple[str, int, dict[str, str]]
"""The case of the finding, the column in the line, and values for the message."""


def _explain_yaml_problem(problem: str, line: str, column: int) -> _YamlMistake:
    """Explain an error that the YAML parser reported at this column of a line."""
    at = column - 1
    tab = line.find("\t")
    if 0 <= tab <= at and not line[:tab].strip():
        return "/tab", tab + 1, {}
    if "is not closed" in problem:
        return _explain_flow(line, at)
    if "inside a quoted text" in problem:
        opened = max(line.rfind(mark, 0, at) for mark in "\"'") + 1
        return "/quotation", opened or column, {}
    return next((case for words, case in _CASES.items() if words in problem), ""), column, {}


def _explain_flow(line: str, at: int) -> _YamlMistake:
    """Explain an unfinished mapping or list: a comma or its end is missing."""
    found = _WORD(line[: at + 1]) if at < len(line.rstrip()) else None
    if found is not None:
        before, rest = line[: found.start()].strip(), line[found.start() :].strip()
        return "/comma", found.start() + 1, {"word": found[0], "before": before, "rest": rest}
    opened = max(line.rfind("{", 0, at), line.rfind("[", 0, at))
    if opened < 0:
        return "/flow", at + 1, {}
    mark = line[opened]
    return "/bracket", opened + 1, {"mark": mark, "closer": _CLOSERS[mark]}


def _suggest_quotes(line: str) -> str:
    found = _KEY(line)
    if found is None:
        return "put the value in quotes"
    value = found[2].replace('"', '\\"')
    return f'put the value in quotes: {found[1]}: "{value}"'


RULE = "---"
"""The line before and the line after front matter."""


def parse_front_matter(lines: list[str], notes: FindingCollector) -> FrontMatter:
    """Parse the front matter of a file; an empty one if there is none."""
    if not lines or lines[0].rstrip() != RULE:
        return FrontMatter()
    last = next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() == RULE), 0)
    if not last:
        notes.add("FRONT_MATTER_MALFORMED/unclosed", 1, 1)
        return FrontMatter(unread=True)
    # YAML reads a full-width space at the end of a line as part of a value.
    text = "\n".join(line.rstrip() for line in lines[1 : last - 1])
    document = _read_document(text, notes)
    if document is None:
        return FrontMatter(last=last, unread=True)
    return _build_front_matter(document, last, notes)


def shift_to_file_lines(text: str) -> str:
    """Move the YAML of front matter down to its lines in the file."""
    return "\n" + text


def _read_document(text: str, notes: FindingCollector) -> Document | None:
    try:
        document = parse_document(shift_to_file_lines(text), notes.file)
    except DocumentError as problem:
        where = problem.where or SourceLocation(file=notes.file, line=1, column=1)
        _report_unreadable(notes, where, problem, shift_to_file_lines(text).split("\n"))
        return None
    for finding in document.findings:
        notes.add_finding(finding)
    if document.plain is None or isinstance(document.plain, dict):
        return document
    kind = _describe_kind(document.plain)
    where = document.locate()
    notes.add_finding(make_finding("FRONT_MATTER_MALFORMED/kind", where, kind=kind))
    return None


def _report_unreadable(
    notes: FindingCollector, where: SourceLocation, problem: DocumentError, lines: list[str]
) -> None:
    line = lines[where.line - 1] if 0 < where.line <= len(lines) else ""
    case, column, shown = _explain_yaml_problem(problem.message, line, where.column)
    shown |= {"text": line.strip(), "sign": line[column - 1 : column]}
    shown |= {"quotes": _suggest_quotes(line), "problem": problem.message, "hint": problem.hint}
    place = SourceLocation(file=notes.file, line=where.line, column=column)
    notes.add_finding(make_finding(f"FRONT_MATTER_MALFORMED{case}", place, **shown))


class _FrontMatterNotation(Notation):
    """How the mistakes in front matter are worded."""

    def add_unknown_key(self, held: Located, key: str, form: RecordForm, owner: str) -> set[str]:
        if not key.startswith("_"):
            hint = held.page.suggest_nearest(key, form)
            hint = hint or "start it with '_' to keep it as your own note"
            message = f"{owner} has no key {quote_value(key)}"
            held.add_warning("UNKNOWN_KEY", message, hint=hint, key=True)
        return set()

    def add_wrong_value(self, held: Located, kind: ValueKind, what: str) -> None:
        message = f"{what} must be {kind.wanted}, not {_describe_kind(held.value)}"
        held.add_error("WRONG_TYPE", message, hint=kind.hint(held))


def _suggest_quotes_for_number(held: Located) -> str:
    return "put it in quotes" if isinstance(held.value, int | float) else ""


def _suggest_list(held: Located) -> str:
    return f"write {held.path[-1]}: [{held.value}]" if isinstance(held.value, str) else ""


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_NOTATION: Final = _FrontMatterNotation(str)
_TEXT: Final = ValueKind(
    wanted="text", fits=lambda value: isinstance(value, str), hint=_suggest_quotes_for_number
)
_NAMES: Final = ValueKind(
    wanted="a list of names",
    fits=_is_names,
    hint=_suggest_list,
    build=lambda held: tuple(held.value),
)
FRONT_MATTER: Final = make_form(
    "the front matter",
    FrontMatter,
    {
        "vars": replace(MAPPING, wanted="a mapping of names and first values"),
        "cast": replace(_NAMES, fits=lambda value: isinstance(value, dict) or _is_names(value)),
        "scenario as book": _TEXT,
    },
    kinds={str: _TEXT, tuple[str, ...]: _NAMES},
    notation=_NOTATION,
)
"""All keys of front matter."""


def _build_front_matter(document: Document, last: int, notes: FindingCollector) -> FrontMatter:
    page = Findings(document)
    known = len(page.findings)
    found = FRONT_MATTER.read(Located(document.plain or {}, (), page))
    front: FrontMatter = found.build_record(
        variables=_read_variables(found.get("vars")),
        cast=_read_cast(found.get("cast")),
        ground=_read_world(found),
        document=document,
        last=last,
    )
    for finding in page.findings[known:]:
        notes.add_finding(finding)
    return front


def _read_variables(held: Located | None) -> tuple[Declaration, ...]:
    declared = []
    for inner in held.list_items() if held is not None else ():
        name = str(inner.path[-1])
        if not name.isidentifier():
            message = f"{quote_value(name)} cannot be the name of a variable"
            hint = "use letters, numbers and _, a letter first"
            if ":" in name:
                hint = f"put a space after the colon: {name.replace(':', ': ', 1)}"
            inner.add_error("FRONT_MATTER_MALFORMED", message, hint=hint, key=True)
        elif is_well_formed(inner, _VALUE, quote_value(name), _NOTATION):
            where = inner.page.document.locate_key(inner.path)
            declared.append(Declaration(name, inner.value, where.line, where.column))
    return tuple(declared)


def _is_value(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return value is None or (isinstance(value, float) and isfinite(value))


_VALUE: Final = ValueKind(wanted=f"a number up to {LARGEST}, text, true or false", fits=_is_value)


def _read_cast(held: Located | None) -> tuple[Declaration, ...] | None:
    if held is None:
        return None
    declared = []
    for inner, name in zip(held.list_items(), held.value, strict=True):
        where = inner.page.document.locate_key(inner.path)
        declared.append(Declaration(name.strip(), None, where.line, where.column))
    return tuple(declared)


def _read_world(found: LocatedFields) -> WorldReference | None:
    if "scenario" in found:
        return WorldReference(
            scenario=found.get_value("scenario"),
            actor=found.get_value("as", ""),
            book=found.get_value("book", ""),
        )
    for key in ("as", "book"):
        if key in found:
            message = f"{key!r} has no effect without 'scenario'"
            hint = "set the story's world with scenario:"
            found[key].add_error("FRONT_MATTER_MALFORMED", message, hint=hint, key=True)
    return None


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a decimal"),
    (str, "text"),
    (list, "a list"),
    (dict, "a mapping"),
)


def _describe_kind(value: Any) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "nothing")
