"""Where scenario ids become files.

`registry.yaml` names every scenario; nothing else may guess a path. An id it does not
name is an error, never a quiet fall back to the default.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from saniwa.core.document import Document, read_file
from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.finding import Report
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.scenario import form, shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import value_of
from saniwa.scenario.entry import ScenarioEntry
from saniwa.scenario.page import Page
from saniwa.scenario.shape import Fields
from saniwa.scenario.summary import shown_path

PROFILES = ("dev", "gate", "full")
"""The profiles an entry may recommend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Every scenario there is, in the author's order."""

    path: str
    """The registry file as the user named it."""
    entries: tuple[ScenarioEntry, ...]
    """One for each scenario."""
    report: Report
    """What was found on reading it; never an error."""

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Registry":
        """The registry in a file.

        Raises:
            SchemaValidationError: `REGISTRY_LOAD_ERROR` if the file is not there, is no
                YAML, or has any mistake in it; `details["findings"]` lists them all.
        """
        registry = inspect_registry(path)
        errors = registry.report.errors
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise SchemaValidationError(
                Code.REGISTRY_LOAD_ERROR,
                f"the registry has a mistake: {errors[0].message}{more}",
                where=errors[0].where,
                hint=errors[0].hint,
                details={
                    "findings": [f.as_document() for f in registry.report.findings]
                },
            )
        return registry

    def resolve(self, scenario_id: str) -> ScenarioEntry:
        """The entry with this id.

        Raises:
            SchemaValidationError: `REGISTRY_MISSING`; `details["available"]` lists the
                ids there are.
        """
        for entry in self.entries:
            if entry.scenario_id == scenario_id:
                return entry
        available = [entry.scenario_id for entry in self.entries]
        raise SchemaValidationError(
            Code.REGISTRY_MISSING,
            f"Scenario {quoted(scenario_id)} is not in the registry",
            where=Where(file=shown_path(self.path)),
            hint=did_you_mean(scenario_id, available)
            or f"there are: {', '.join(available)}",
            details={"scenario_id": scenario_id, "available": available},
        )


def inspect_registry(path: str | os.PathLike[str]) -> Registry:
    """The registry with everything found in it, mistakes included.

    Raises:
        SchemaValidationError: `REGISTRY_LOAD_ERROR` if the file cannot be read at all.
    """
    try:
        document = read_file(path)
    except DocumentError as problem:
        raise SchemaValidationError(
            Code.REGISTRY_LOAD_ERROR,
            f"cannot load the registry: {problem.message}",
            where=problem.where,
            hint=problem.hint,
            details={"cause": problem.code},
        ) from problem
    page = Page(document)
    entries = tuple(_entries(page, document))
    return Registry(path=document.file, entries=entries, report=page.report())


def _entries(page: Page, document: Document) -> Iterator[ScenarioEntry]:
    top = shape.fields(page, document.plain, (), form.REGISTRY, "a registry")
    held = top.get("scenarios")
    if held is None:
        if isinstance(document.plain, dict) and "scenarios" not in document.plain:
            page.error(Code.FIELD_MISSING, "a registry needs 'scenarios'", ())
        return
    seen: set[str] = set()
    for index, value in enumerate(held.value):
        found = shape.fields(
            page, value, (*held.path, index), form.ENTRY, "a registry entry"
        )
        entry = _entry(page, value, (*held.path, index), found)
        if entry is None:
            continue
        if entry.scenario_id in seen:
            page.error(
                Code.REGISTRY_DUPLICATE_ID,
                f"{entry.scenario_id!r} is the id of two entries",
                found["scenario_id"].path,
                hint="give one of them another id",
            )
            continue
        seen.add(entry.scenario_id)
        yield entry


def _entry(
    page: Page, value: Any, path: tuple[str | int, ...], found: Fields
) -> ScenarioEntry | None:
    for name in ("scenario_id", "path"):
        if name not in found and isinstance(value, dict) and name not in value:
            hint = "null is for the built-in scenario" if name == "path" else ""
            message = f"a registry entry needs {name!r}"
            page.error(Code.FIELD_MISSING, message, path, hint=hint)
    if "scenario_id" not in found or "path" not in found:
        return None
    _check_profile(page, found)
    file = found["path"].value
    if file is not None:
        _check_inside(page, file, found)
    return ScenarioEntry(
        scenario_id=found["scenario_id"].value,
        path=file,
        tags=tuple(t for t in value_of(found, "tags", ()) if isinstance(t, str)),
        recommended_profile=value_of(found, "recommended_profile", "dev"),
        description=value_of(found, "description", ""),
        registry=page.document.file,
    )


def _check_profile(page: Page, found: Fields) -> None:
    held = found.get("recommended_profile")
    if held is not None and held.value not in PROFILES:
        page.error(
            Code.UNKNOWN_VALUE,
            f"{held.value!r} is no profile",
            held.path,
            hint=page.near(held.value, PROFILES) or f"one of {', '.join(PROFILES)}",
        )


def _check_inside(page: Page, file: str, found: Fields) -> None:
    if not stays_inside(page.document.file, file):
        page.error(
            Code.SCENARIO_PATH_OUTSIDE,
            f"the path {file!r} leaves the registry's folder",
            found["path"].path,
            hint="keep scenarios beside the registry or below it",
        )


def stays_inside(registry: str, file: str) -> bool:
    """Whether a path stays in the registry's folder, links followed."""
    if PurePosixPath(file).is_absolute() or PureWindowsPath(file).is_absolute():
        return False
    folder = Path(registry).parent.resolve()
    try:
        return (folder / file).resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):
        return False


def _is_there(file: str) -> bool:
    try:
        return Path(file).exists()
    except OSError:  # a name that no system could hold
        return False


def file_of(entry: ScenarioEntry) -> str:
    """The file of an entry, beside the registry that names it.

    Raises:
        SchemaValidationError: `SCENARIO_PATH_OUTSIDE`, `SCENARIO_FILE_NOT_FOUND`.
    """
    assert entry.path is not None, "the built-in scenario has no file"
    file = str(Path(entry.registry).parent / entry.path)
    details = {"scenario_id": entry.scenario_id, "path": entry.path}
    if not stays_inside(entry.registry, entry.path):
        raise SchemaValidationError(
            Code.SCENARIO_PATH_OUTSIDE,
            f"the path {entry.path!r} leaves the registry's folder",
            where=Where(file=entry.registry),
            details=details,
        )
    if not _is_there(file):
        raise SchemaValidationError(
            Code.SCENARIO_FILE_NOT_FOUND,
            f"the file {entry.path!r} of scenario {entry.scenario_id!r} does not exist",
            where=Where(file=entry.registry),
            hint=f"create {file}, or correct the path in the registry",
            details=details,
        )
    return file
