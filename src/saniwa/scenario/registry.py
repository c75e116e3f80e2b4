"""Where scenario ids become files.

`registry.yaml` names every scenario; nothing else may guess a path. An id it does not
name is an error, never a quiet fall back to the default.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec

from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.findings import Report, SourceLocation
from saniwa.core.redaction import to_public_path
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.documents.document import load_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import LocatedFields
from saniwa.scenario import describe, format

BUILT_IN = "built-in"
"""The path of a scenario that has no file."""
LEVELS = {"tutorial": 0, "flagship": 1, "trap": 2, "baseline": 2}
"""The tags that say for whom a scenario is, with their place in a list.

For beginners, for a long game, and twice for measuring models. A scenario without one
is listed among the long games.
"""


class ScenarioEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Where a scenario is, and what it is for."""

    scenario_id: str
    """Unique in its registry."""
    path: str | None
    """The file, relative to the registry's folder; None for the built-in scenario."""
    tags: tuple[str, ...] = ()
    """Words to select scenarios by."""
    recommended_profile: str = "dev"
    """The profile an experiment should run it with: dev, gate or full."""
    description: str = ""
    """What it is about."""
    registry: str = ""
    """The registry file that names it, as the user named that file."""

    @property
    def level(self) -> str:
        """For whom it is, as one of `LEVELS`; empty if its tags do not say."""
        return next((level for level in LEVELS if level in self.tags), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """All registered scenarios, in the author's order."""

    path: str
    """The registry file as the user named it."""
    entries: tuple[ScenarioEntry, ...]
    """One for each scenario."""
    report: Report
    """The findings from reading it; never an error."""

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Registry":
        """Open the registry in a file.

        Raises:
            SchemaValidationError: `REGISTRY_LOAD_ERROR` if the file does not exist, is
                not YAML, or has any mistake in it; `details["findings"]` lists them
                all.
        """
        registry = inspect_registry(path)
        errors = registry.report.errors
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise SchemaValidationError(
                "REGISTRY_LOAD_ERROR",
                f"the registry has an error: {errors[0].message}{more}",
                where=errors[0].where,
                hint=errors[0].hint,
                details={"findings": [f.to_document() for f in registry.report.findings]},
            )
        return registry

    def list_for_people(self) -> list[ScenarioEntry]:
        """The entries as people read them: by level, then by id."""
        return sorted(self.entries, key=lambda e: (LEVELS.get(e.level, 1), e.scenario_id))

    def resolve(self, scenario_id: str) -> ScenarioEntry:
        """Return the entry with this id.

        Raises:
            SchemaValidationError: `REGISTRY_MISSING`; `details["available"]` lists the
                existing ids.
        """
        for entry in self.entries:
            if entry.scenario_id == scenario_id:
                return entry
        available = [entry.scenario_id for entry in self.entries]
        raise SchemaValidationError(
            "REGISTRY_MISSING",
            f"Scenario {quote_value(scenario_id)} is not in the registry",
            where=SourceLocation(file=to_public_path(self.path)),
            hint=suggest_nearest(scenario_id, available) or f"there are: {', '.join(available)}",
            details={"scenario_id": scenario_id, "available": available},
        )


def inspect_registry(path: str | os.PathLike[str]) -> Registry:
    """Read a registry with all its findings, mistakes included.

    Raises:
        SchemaValidationError: `REGISTRY_LOAD_ERROR` if the file cannot be read at all.
    """
    try:
        document = load_document(path)
    except DocumentError as problem:
        raise SchemaValidationError(
            "REGISTRY_LOAD_ERROR",
            f"cannot load the registry: {problem.message}",
            where=problem.where,
            hint=problem.hint,
            details={"cause": problem.code},
        ) from problem
    page = Findings(document, describe=describe)
    entries = tuple(_read_entries(format.read_top(page, format.REGISTRY).get("scenarios")))
    return Registry(path=document.file, entries=entries, report=page.build_report())


def _read_entries(held: Located | None) -> Iterator[ScenarioEntry]:
    seen: set[str] = set()
    for item in held.list_items() if held is not None and held.value else ():
        found = format.ENTRY.read(item)
        entry = _read_entry(found)
        if entry is None:
            continue
        if entry.scenario_id in seen:
            found["scenario_id"].report("REGISTRY_DUPLICATE_ID", id=entry.scenario_id)
            continue
        seen.add(entry.scenario_id)
        yield entry


def _read_entry(found: LocatedFields) -> ScenarioEntry | None:
    if "scenario_id" not in found or "path" not in found:
        return None
    _check_inside(found["path"])
    return ScenarioEntry(
        **found.to_arguments("scenario_id", "path", "recommended_profile", "description"),
        tags=tuple(t for t in found.get_value("tags", ()) if isinstance(t, str)),
        registry=found.held.page.document.file,
    )


def _check_inside(held: Located) -> None:
    if held.value is not None and not is_inside_folder(held.page.document.file, held.value):
        held.report("SCENARIO_PATH_OUTSIDE/entry", path=held.value)


def is_inside_folder(registry: str, file: str) -> bool:
    """Whether a path stays in the registry's folder; links are followed."""
    if PurePosixPath(file).is_absolute() or PureWindowsPath(file).is_absolute():
        return False
    folder = Path(registry).parent.resolve()
    try:
        return (folder / file).resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):
        return False


def _exists(file: str) -> bool:
    try:
        return Path(file).exists()
    except OSError:  # a name that is too long for any file system
        return False


def get_entry_file(entry: ScenarioEntry) -> str:
    """Return the file of an entry, relative to its registry.

    Raises:
        SchemaValidationError: `SCENARIO_PATH_OUTSIDE`, `SCENARIO_FILE_NOT_FOUND`.
    """
    assert entry.path is not None, "the built-in scenario has no file"
    file = str(Path(entry.registry).parent / entry.path)
    details = {"scenario_id": entry.scenario_id, "path": entry.path}
    if not is_inside_folder(entry.registry, entry.path):
        raise SchemaValidationError(
            "SCENARIO_PATH_OUTSIDE",
            f"the path {entry.path!r} leaves the registry's folder",
            where=SourceLocation(file=entry.registry),
            details=details,
        )
    if not _exists(file):
        raise SchemaValidationError(
            "SCENARIO_FILE_NOT_FOUND",
            f"the file {entry.path!r} of scenario {entry.scenario_id!r} does not exist",
            where=SourceLocation(file=entry.registry),
            hint=f"create {file}, or correct the path in the registry",
            details=details,
        )
    return file
