"""Read a process definition from a file, a text or a document, and check it.

Every mistake is reported as a finding; nothing here raises for a bad definition.
`format` reads the single parts, `lint` checks them against each other.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_type_hints

from saniwa.core.errors import DocumentError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import Document, DocumentFormat, load_document, parse_document
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    Guard,
    NotGuard,
    Process,
    VariableGuard,
)
from saniwa.process.format import fields, parts
from saniwa.process.format.draft import (
    PlacedPart,
    ProcessDraft,
    build_process,
    check_name,
    enumerate_names,
    is_file_name,
)
from saniwa.process.format.fields import (
    GUARD_KEYS,
    ProcessFields,
    read_fields,
    read_tag,
    report_duplicate_key,
    require_fields,
    to_snake_case,
)
from saniwa.process.lint import evidence, guards, names, roles, states

_LINT_CHECKS = (
    names.check_names,
    names.check_misleading_names,
    roles.check_roles,
    guards.check_guards,
    evidence.check_evidence,
    states.check_reachability,
    roles.check_senders,
    roles.check_approvals,
    evidence.check_schemas,
    states.check_hooks,
    guards.check_variables,
    states.check_tools,
)


def lint_draft(page: Findings, draft: ProcessDraft) -> None:
    """Add a finding for everything that is wrong with a draft."""
    for check in _LINT_CHECKS:
        check(page, draft)


LARGEST_COUNT = 1_000_000
"""The largest `min_count`."""
_ARTIFACT_CONDITIONS = get_args(get_type_hints(ArtifactGuard)["condition"])
_VARIABLE_CONDITIONS = get_args(get_type_hints(VariableGuard)["condition"])


def read_guards(
    page: Findings, named: dict[str, Any], path: KeyPath
) -> dict[str, PlacedPart[Guard]]:
    """Return the guards of a mapping that could be read."""
    found: dict[str, PlacedPart[Guard]] = {}
    for name, value in named.items():
        here = (*path, name)
        if not check_name(page, name, here, key=True):
            continue
        placed = _read_guard(page, value, here)
        if placed is not None:
            found[name] = placed
    return found


def _read_guard(page: Findings, value: Any, path: KeyPath) -> PlacedPart[Guard] | None:
    kind = read_tag(page, value, path, GUARD_KEYS, "a guard")
    if kind is None:
        return None
    owner = f"a guard of type {kind!r}"
    found = read_fields(page, value, path, GUARD_KEYS[kind], owner)
    assert found is not None, "what has a type is a mapping"
    read = {
        "artifact": _read_artifact_guard,
        "context": _read_variable_guard,
        "not": _read_not_guard,
    }.get(kind, _read_group_guard)
    guard = read(page, found, path, owner)
    return None if guard is None else PlacedPart(guard, path, found.paths)


# A guard with a mistake is still read where it names something, so that the references
# are checked too; no process is built from it.


def _read_artifact_guard(
    page: Findings, found: ProcessFields, path: KeyPath, owner: str
) -> Guard | None:
    require_fields(page, found, ("artifact_type", "condition"), path, owner)
    condition = _read_condition(page, found, _ARTIFACT_CONDITIONS, "exists")
    least = found.get_value("min_count", 1)
    if not 0 <= least <= LARGEST_COUNT:
        page.add_error(
            "INVALID_MIN_COUNT",
            f"'min_count' is {quote_value(least)}",
            found["min_count"].path,
            hint=f"write a whole number from 0 to {LARGEST_COUNT}",
        )
    _check_required_fields(page, found, path, condition)
    if "artifact_type" not in found:
        return None
    return ArtifactGuard(
        artifact_type=found.get_value("artifact_type"),
        condition=cast(Any, condition),
        min_count=least,
        required_fields=found.get_texts("required_fields"),
        fresh=found.get_value("fresh", False),
        description=found.get_value("description", ""),
    )


def _check_required_fields(
    page: Findings, found: ProcessFields, path: KeyPath, condition: str
) -> None:
    names = found.get_texts("required_fields")
    if condition == "has_fields" and not names:
        if "required_fields" in found.malformed:
            return
        page.add_error(
            "FIELD_MISSING",
            "a guard with 'has_fields' needs 'required_fields'",
            path,
            hint="list what the artifact must say, such as [title, result.score]",
        )
    for nth, name in enumerate_names(names):
        if not all(step.strip() for step in name.split(".")):
            page.add_error(
                "NAME_UNUSABLE",
                f"the field {quote_value(name)} has an empty step, so nothing ever says it",
                (*found["required_fields"].path, nth),
                hint="write names with one dot between two of them: result.score",
            )


def _read_variable_guard(
    page: Findings, found: ProcessFields, path: KeyPath, owner: str
) -> Guard | None:
    require_fields(page, found, ("variable", "condition"), path, owner)
    condition, value = (
        _read_condition(page, found, _VARIABLE_CONDITIONS, ""),
        found.get_value("value"),
    )
    if condition:
        _check_comparison(page, found, path, condition, value)
    if "variable" not in found:
        return None
    return VariableGuard(
        variable=found.get_value("variable"),
        condition=cast(Any, condition or "exists"),
        value=value,
        description=found.get_value("description", ""),
    )


def _check_comparison(
    page: Findings, found: ProcessFields, path: KeyPath, condition: str, value: Any
) -> None:
    """Check that a condition has a value exactly when it compares with one."""
    code = "INVALID_CONTEXT_GUARD_VALUE"
    if condition in ("exists", "not_exists"):
        if "value" in found:
            message = f"{condition!r} compares with nothing, yet there is a 'value'"
            page.add_error(code, message, found["value"].path, hint="leave 'value' out")
    elif "value" not in found:
        message = f"{condition!r} has no 'value' to compare with"
        page.add_error(code, message, path, hint="add 'value'")
    elif condition in ("in", "not_in") and not isinstance(value, list):
        message = f"{condition!r} needs a list of values, not {quote_value(value)}"
        page.add_error(code, message, found["value"].path, hint="write a list")


def _read_condition(
    page: Findings, found: ProcessFields, known: tuple[str, ...], otherwise: str
) -> str:
    """Return the condition, or `otherwise` if it cannot be read."""
    value = found.get_value("condition")
    if value is None or value in known:
        return value or otherwise
    hint = page.suggest_nearest(value, known) or f"write one of {', '.join(known)}"
    page.add_error(
        "UNKNOWN_VALUE",
        f"there is no condition {quote_value(value)} here",
        found["condition"].path,
        hint=hint,
    )
    return otherwise


def _read_group_guard(
    page: Findings, found: ProcessFields, path: KeyPath, owner: str
) -> Guard | None:
    if not require_fields(page, found, ("guards",), path, owner):
        return None
    names, described = found.get_texts("guards"), found.get_value("description", "")
    if not names:
        message, hint = f"{owner} names no guard", "name at least one"
        page.add_error("FIELD_MISSING", message, found["guards"].path, hint=hint)
        return None
    if found.get_value("type") == "all":
        return AllGuard(guards=names, description=described)
    return AnyGuard(guards=names, description=described)


def _read_not_guard(
    page: Findings, found: ProcessFields, path: KeyPath, owner: str
) -> Guard | None:
    if not require_fields(page, found, ("guard",), path, owner):
        return None
    return NotGuard(
        guard=found.get_value("guard"), description=cast(str, found.get_value("description", ""))
    )


REQUIRED_KEYS = ("process_id", "version", "name", "states")
"""A document without these keys is not a process."""
_LARGEST_NUMBER = 2**63

Part = TypeVar("Part")


def read_draft(page: Findings) -> ProcessDraft:
    """Read the document into a draft; malformed parts are left out."""
    top = read_fields(page, page.document.plain, (), fields.TOP_KEYS, "a process")
    if top is None:
        return ProcessDraft({}, {})
    _check_numbers(page)
    header = _read_header(page, top)
    _check_required(page, page.document.plain, header)
    _check_id(page, header)
    draft = ProcessDraft(
        {name: located.value for name, located in header.items() if name in fields.HEADER_KEYS},
        header.paths,
    )
    most, roles = parts.MOST_PARTS, parts.MOST_ROLES
    draft.states = _read_parts(page, draft, top, "states", parts.read_state, most)
    draft.events = _read_parts(page, draft, top, "events", parts.read_event, most)
    draft.transitions = _read_parts(page, draft, top, "transitions", parts.read_transition, most)
    draft.artifacts = _read_parts(page, draft, top, "artifacts", parts.read_artifact, most)
    draft.roles = _read_parts(page, draft, top, "roles", parts.read_role, roles)
    if "guards" in top:
        draft.guards = read_guards(page, *top["guards"])
        draft.guard_names = frozenset(top["guards"].value)
    draft.unread |= top.malformed
    draft.partial |= top.malformed
    return draft


def _read_parts(
    page: Findings,
    draft: ProcessDraft,
    top: ProcessFields,
    name: str,
    read: parts.PartReader[Part],
    most: int,
) -> list[PlacedPart[Part]]:
    located = top.get(name)
    if located is None:
        return []
    found = parts.read_parts(page, located.value, located.path, read, most)
    if found is None:
        draft.unread.add(name)
    if found is None or len(found) < len(located.value):
        draft.partial.add(name)
    return found or []


def _read_header(page: Findings, top: ProcessFields) -> ProcessFields:
    """Return the fields of the process itself: from the top and under `process`."""
    merged = ProcessFields(top)
    located = top.get("process")
    if located is None:
        return merged
    inner = (
        read_fields(page, located.value, located.path, fields.HEADER_KEYS, "'process'")
        or ProcessFields()
    )
    for name, each in inner.items():
        if name in top:
            first = str(top[name].path[-1])
            report_duplicate_key(page, each.path, str(each.path[-1]), first)
        merged.setdefault(name, each)
    return merged


def _check_required(page: Findings, plain: dict[str, Any], header: ProcessFields) -> None:
    given = _list_keys(plain) | _list_keys(plain.get("process"))
    for name in REQUIRED_KEYS:
        if name not in given:
            page.add_error("FIELD_MISSING", f"a process needs {name!r}", (), hint=f"add {name!r}")
        elif name == "states" and header.get_value("states") == []:
            page.add_error(
                "FIELD_MISSING", "a process needs at least one state", header["states"].path
            )


def _check_id(page: Findings, header: ProcessFields) -> None:
    located = header.get("process_id")
    if located is not None and not is_file_name(located.value):
        page.add_error(
            "NAME_UNUSABLE",
            f"{quote_value(located.value)} cannot be the name of a file",
            located.path,
            hint="a process is found by its file's name: letters, digits, '_' and '-'",
        )


def _list_keys(value: Any) -> set[str]:
    if not isinstance(value, dict):
        return set()
    keys = {to_snake_case(key) for key, inner in value.items() if inner is not None}
    return keys | {fields.KEY_ALIASES[key] for key in keys if key in fields.KEY_ALIASES}


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
            page.add_error(
                "NUMBER_TOO_LARGE",
                f"{quote_value(here)} does not fit into 64 bits",
                path,
                hint="write it as text",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReadResult:
    """The result of reading a definition."""

    process: Process | None
    """The process; None if any error keeps it from being used."""
    report: Report
    """Everything found, in reading order."""
    document: Document
    """The document; empty if it is neither JSON nor YAML."""


def read_process(path: str | os.PathLike[str]) -> ProcessReadResult:
    """Read the definition in a file; the file name's suffix decides the format.

    Never raises for a bad or unreadable file: both are reported as findings.
    """
    file = os.fspath(path)
    try:
        return read_process_document(load_document(file))
    except DocumentError as problem:
        return _make_unreadable_result(problem, file, _read_text(file, problem))


def read_process_text(
    text: str, file: str = "", format: DocumentFormat = "yaml"
) -> ProcessReadResult:
    """Read the definition in a text; `file` is the name used in locations."""
    try:
        return read_process_document(parse_document(text, file, format))
    except DocumentError as problem:
        return _make_unreadable_result(problem, file, text)


def read_process_document(document: Document) -> ProcessReadResult:
    """Read the definition in a document."""
    page = Findings(document)
    draft = read_draft(page)
    lint_draft(page, draft)
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
    finding = Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or SourceLocation(file=file),
        hint=problem.hint,
    )
    document = Document(plain=None, file=file, text=text)
    return ProcessReadResult(process=None, report=Report((finding,)), document=document)
