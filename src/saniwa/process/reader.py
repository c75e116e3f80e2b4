"""Read a process definition from a file, a text or a document, and check it.

Every mistake is reported as a finding; nothing here raises for a bad definition.
`definition_part_readers` reads the single parts, `lint` checks them against each other.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson

from saniwa.core.errors import DocumentError
from saniwa.core.findings import Report, SourceLocation
from saniwa.documents.document import (
    Document,
    DocumentFormat,
    load_document,
    make_document,
    parse_document,
)
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, add_duplicate_key, to_snake
from saniwa.process import definition_part_readers, describe, format
from saniwa.process.definition import Process, encode_process
from saniwa.process.draft import LaneDraft, ProcessDraft, build_process, is_file_name
from saniwa.process.lint import (
    children,
    evidence,
    guards,
    names,
    permissions,
    reachability,
    variables,
)

_LINT_CHECKS = (
    names.check_names,
    names.check_misleading_names,
    names.check_state_map,
    permissions.check_roles,
    guards.check_guards,
    evidence.check_evidence,
    reachability.check_reachability,
    permissions.check_senders,
    permissions.check_approvals,
    evidence.check_schemas,
    variables.check_hooks,
    variables.check_variables,
    permissions.check_tools,
    children.check_children,
)


def lint_draft(page: Findings, draft: ProcessDraft, find: children.ChildFinder | None) -> None:
    """Add a finding for everything that is wrong with a draft.

    With `find`, the processes of its child runs are looked at too.
    """
    for check in _LINT_CHECKS:
        check(page, draft)
    for lane in draft.lanes:
        names.check_states(page, lane)
        reachability.check_reachability(page, lane)
    if find is not None:
        children.check_child_processes(page, draft, find)


REQUIRED_KEYS = ("process_id", "version", "name", "states")
"""A document without these keys is not a process."""
_LARGEST_NUMBER = 2**63

Part = TypeVar("Part")


def read_draft(page: Findings) -> ProcessDraft:
    """Read the document into a draft; malformed parts are left out."""
    top = format.PROCESS.read(Located(page.document.plain, (), page))
    if not isinstance(page.document.plain, dict):
        return ProcessDraft({}, {})
    _check_numbers(page)
    header = _read_header(top)
    _check_required(page, header)
    _check_id(header)
    draft = ProcessDraft(
        {name: held.value for name, held in header.items() if name in format.HEADER_KEYS},
        header.paths,
    )
    draft.states = _read_parts(draft, top, "states", definition_part_readers.read_state)
    draft.events = _read_parts(draft, top, "events", definition_part_readers.read_event)
    draft.transitions = _read_parts(
        draft, top, "transitions", definition_part_readers.read_transition
    )
    draft.artifacts = _read_parts(draft, top, "artifacts", definition_part_readers.read_artifact)
    draft.roles = _read_parts(
        draft, top, "roles", definition_part_readers.read_role, definition_part_readers.MOST_ROLES
    )
    if "guards" in top:
        draft.guards = definition_part_readers.read_guards(top["guards"])
        draft.guard_names = frozenset(top["guards"].value)
    draft.unread |= top.malformed
    draft.partial |= top.malformed
    for lane in [part for state in draft.states for part in state.inner]:
        if isinstance(lane, LaneDraft):
            draft.add_lane(lane)
    return draft


def _read_parts(
    draft: ProcessDraft,
    top: LocatedFields,
    name: str,
    read: definition_part_readers.PartReader[Part],
    most: int = definition_part_readers.MOST_PARTS,
) -> list[Part]:
    held = top.get(name)
    if held is None:
        return []
    found = definition_part_readers.read_parts(held, read, most)
    if found is None:
        draft.unread.add(name)
    if found is None or len(found) < len(held.value):
        draft.partial.add(name)
    return found or []


def _read_header(top: LocatedFields) -> LocatedFields:
    """Return the fields of the process itself: from the top and under `process`."""
    merged = LocatedFields(top.held, top.form)
    merged.update(top)
    for name, each in top.read_part("process").items():
        if name in top:
            add_duplicate_key(each, str(each.path[-1]), str(top[name].path[-1]))
        merged.setdefault(name, each)
    return merged


def _check_required(page: Findings, header: LocatedFields) -> None:
    plain = page.document.plain
    given = _list_keys(plain) | _list_keys(plain.get("process"))
    for name in REQUIRED_KEYS:
        if name not in given:
            page.report("FIELD_MISSING/key", (), name=name)
        elif name == "states" and header.get_value("states") == []:
            header["states"].report("FIELD_MISSING/states")


def _check_id(header: LocatedFields) -> None:
    held = header.get("process_id")
    if held is not None and not is_file_name(held.value):
        held.report("NAME_UNUSABLE/id", value=held.value)


def _list_keys(value: Any) -> set[str]:
    if not isinstance(value, dict):
        return set()
    keys = {to_snake(key) for key, inner in value.items() if inner is not None}
    return keys | {format.KEY_ALIASES[key] for key in keys if key in format.KEY_ALIASES}


def _check_numbers(page: Findings) -> None:
    """Report integers beyond 64 bits: a definition is hashed as JSON."""
    waiting: list[tuple[Any, KeyPath]] = [(page.document.plain, ())]
    while waiting:
        here, path = waiting.pop()
        if isinstance(here, dict):
            waiting.extend((inner, (*path, key)) for key, inner in here.items())
        elif isinstance(here, list):
            waiting.extend((inner, (*path, nth)) for nth, inner in enumerate(here))
        elif isinstance(here, int) and not -_LARGEST_NUMBER <= here < _LARGEST_NUMBER:
            page.report("NUMBER_TOO_LARGE", path, here=here)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReadResult:
    """The result of reading a definition."""

    process: Process | None
    """The process; None if any error keeps it from being used."""
    report: Report
    """Everything found, in reading order."""
    document: Document
    """The document; empty if it is neither JSON nor YAML."""


ProcessSource = str | os.PathLike[str] | Process | Mapping[str, Any]
"""A process: the path of its file, an object, or the keys of a file."""


def read_process(
    path: ProcessSource, find: children.ChildFinder | None = None
) -> ProcessReadResult:
    """Read and check a definition: in a file, as an object, or as the keys of a file.

    The suffix of a file decides its format. With `find`, the processes of its child runs
    are looked at too. Never raises for a bad definition or an unreadable file: both are
    reported as findings.
    """
    if isinstance(path, Process | Mapping):
        return _read_made_process(path, find)
    file = os.fspath(path)
    try:
        return read_process_document(load_document(file), find)
    except DocumentError as problem:
        return _make_unreadable_result(problem, file, _read_text(file, problem))


def _read_made_process(
    made: Process | Mapping[str, Any], find: children.ChildFinder | None
) -> ProcessReadResult:
    try:
        plain = _to_authored(made) if isinstance(made, Process) else dict(made)
        return read_process_document(make_document(plain), find)
    except DocumentError as problem:
        return _make_unreadable_result(problem, "")


def _to_authored(process: Process) -> dict[str, Any]:
    """Return the keys that a file of the process would have.

    Raises:
        DocumentError: `DOCUMENT_SYNTAX`, for values that JSON cannot represent.
    """
    try:
        plain: dict[str, Any] = orjson.loads(encode_process(process))
    except TypeError as problem:
        raise DocumentError("DOCUMENT_SYNTAX", str(problem)) from problem
    waiting = [plain]
    while waiting:
        here = waiting.pop()
        waiting += _list_records(here, "states", "lanes")
        for way in _list_records(here, "transitions"):
            # Files write the time with its unit; every other time may be a number there.
            if isinstance(way.get("after"), int):
                way["after"] = f"{way['after']}ms"
    return plain


def _list_records(part: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    found = (part.get(name) for name in names)
    return [
        each
        for parts in found
        if isinstance(parts, list)
        for each in parts
        if isinstance(each, dict)
    ]


def read_process_text(
    text: str, file: str = "", format: DocumentFormat = "yaml"
) -> ProcessReadResult:
    """Read the definition in a text; `file` is the name used in locations."""
    try:
        return read_process_document(parse_document(text, file, format))
    except DocumentError as problem:
        return _make_unreadable_result(problem, file, text)


def read_process_document(
    document: Document, find: children.ChildFinder | None = None
) -> ProcessReadResult:
    """Read the definition in a document."""
    page = Findings(document, describe=describe)
    draft = read_draft(page)
    lint_draft(page, draft, find)
    process = build_process(draft) if page.passed else None
    return ProcessReadResult(process=process, report=page.build_report(), document=document)


def _read_text(file: str, problem: DocumentError) -> str:
    """Return the text that could not be parsed, to quote the wrong line."""
    if problem.code != "DOCUMENT_SYNTAX":
        return ""
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return ""


def _make_unreadable_result(problem: DocumentError, file: str, text: str = "") -> ProcessReadResult:
    finding = problem.to_finding(problem.where or SourceLocation(file=file))
    document = Document(plain=None, file=file, text=text)
    return ProcessReadResult(process=None, report=Report((finding,)), document=document)
