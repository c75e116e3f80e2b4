"""Loads and checks a scenario from a registry entry, a file or a document.

A scenario with any error is not loaded: one exception is raised that lists all of them.
There is no default to fall back on.
"""

import gc
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from saniwa.core.canonical_json import compute_short_hash
from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.redaction import to_public_path
from saniwa.core.suggestions import suggest_file
from saniwa.documents.document import Document, load_document, make_document
from saniwa.documents.finding_collector import Findings
from saniwa.scenario import describe
from saniwa.scenario.build import build_scenario_world, find_first_character
from saniwa.scenario.check import check_files, check_integrity, lint_scenario
from saniwa.scenario.dialogue_reader import read_dialogues
from saniwa.scenario.draft import read_aliases
from saniwa.scenario.format import is_good_name
from saniwa.scenario.goal_reader import read_goal
from saniwa.scenario.placement import resolve_placement
from saniwa.scenario.reader import read_draft
from saniwa.scenario.registry import BUILT_IN, ScenarioEntry, get_entry_file
from saniwa.world.fingerprint import compute_world_hash
from saniwa.world.model import World


def build_default_document() -> dict[str, Any]:
    """Return the built-in scenario as an author would have written it; a new copy."""
    document: dict[str, Any] = msgspec.json.decode(
        Path(__file__).with_name("default.json").read_bytes()
    )
    return document


MOST_OBJECTS: Final = 10
"""How many things a summary names."""


class WorldCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of each kind."""

    locations: int
    """Places."""
    objects: int
    """Things, including doors and hidden things."""
    characters: int
    """Characters."""


class WorldSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The contract's `world_summary`."""

    counts: WorldCounts
    """How many there are of each kind."""
    objects_top10: tuple[str, ...]
    """The first ten things, as the author ordered them."""
    locations: tuple[str, ...]
    """The places, as the author ordered them."""


def summarise_world(world: World, order: Iterable[str]) -> WorldSummary:
    """Summarize a world; `order` are its ids in the author's order."""
    ids = list(order)
    places = tuple(id for id in ids if id in world.locations)
    objects = [id for id in ids if id in world.entities]
    people = sum(1 for _ in world.list_characters())
    return WorldSummary(
        counts=WorldCounts(locations=len(places), objects=len(objects), characters=people),
        objects_top10=tuple(objects[:MOST_OBJECTS]),
        locations=places,
    )


def render_summary(summary: WorldSummary) -> dict[str, Any]:
    """Return the summary as plain JSON values."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(summary))
    return document


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioInspection:
    """The result of checking a document."""

    report: Report
    """All findings."""
    world: World | None
    """The world; None if an error prevents it."""
    order: tuple[str, ...] = ()
    """The ids of its locations and things in the author's order."""


def inspect_scenario_document(
    document: Document, scenario_id: str | None = None
) -> ScenarioInspection:
    """Check a complete scenario before any of it is used.

    Total: any document gives a report. `scenario_id` is its id in the registry.
    """
    page = Findings(document, describe=describe)
    draft = read_draft(page)
    names = resolve_placement(page, draft)
    check_integrity(page, draft, scenario_id)
    draft.fields.read_part("lint_allow")
    check_files(page, draft)
    goal = read_goal(page, draft, names, find_first_character(draft))
    aliases = read_aliases(page, draft, names)
    dialogues = read_dialogues(page, draft, names, goal)
    # A world with missing parts cannot be built, nor linted.
    world = build_scenario_world(draft, aliases, goal, dialogues) if page.passed else None
    if world is not None:
        lint_scenario(page, draft, world)
    order = (*draft.rooms, *draft.things)
    return ScenarioInspection(report=page.build_report(), world=world, order=order)


def make_report_error(finding: Finding, report: Report) -> SchemaValidationError:
    """Build one error for a whole report, with the code of `finding`."""
    return SchemaValidationError(
        finding.code,
        finding.message,
        where=finding.where,
        hint=finding.hint,
        details={**finding.details, "findings": [found.to_document() for found in report.findings]},
    )


ScenarioSource = ScenarioEntry | str | os.PathLike[str] | Mapping[str, Any] | Document | None
"""What a scenario can be loaded from: an entry of a registry, a file, a document, or
None for the built-in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """An authored starting position, completely checked."""

    id: str
    """Its id."""
    document: dict[str, Any]
    """What the author wrote, as plain values; never changed."""
    world: World
    """Its initial world."""
    scenario_hash: str
    """16 hex digits of the document."""
    world_hash: str
    """16 hex digits of the world."""
    summary: WorldSummary
    """A short summary of its contents."""
    report: Report
    """Warnings and notes for the author; never an error."""
    entry: ScenarioEntry | None = None
    """The registry's entry, if it came from one."""
    resolved_path: str = ""
    """The file it came from, `built-in`, or empty for a bare document."""

    @property
    def rulebook(self) -> str | dict[str, Any] | None:
        """Its rulebook: a name, a file or a document; not read here."""
        found: str | dict[str, Any] | None = self.document.get("rulebook")
        return found

    @property
    def script(self) -> str | dict[str, Any] | None:
        """The story that uses it: stored for hosts, not used in this package."""
        found: str | dict[str, Any] | None = self.document.get("script")
        return found

    @property
    def process(self) -> str | dict[str, Any] | None:
        """The process of its runs: stored for hosts, not used in this package."""
        found: str | dict[str, Any] | None = self.document.get("process")
        return found

    @property
    def opening(self) -> str:
        """The opening message to the player; empty if there is none."""
        for key in ("gm_opening_message", "gmOpeningMessage"):
            if self.document.get(key):
                return str(self.document[key])
        return ""

    def to_meta(self) -> dict[str, Any]:
        """Return the scenario's entry in `run_meta`, as the contract defines it."""
        entry = self.entry
        resolved = self.resolved_path or self.id
        return {
            "scenario_id": entry.scenario_id if entry is not None else self.id,
            "scenario_path": to_public_path((entry and entry.path) or self.id),
            "scenario_resolved_path": to_public_path(resolved),
            "registry_path": to_public_path(entry.registry) if entry is not None else None,
            "scenario_hash": self.scenario_hash,
            "world_hash": self.world_hash,
            "world_summary": render_summary(self.summary),
            "validation_passed": self.report.has_passed,
            "validation_errors": [f.to_document() for f in self.report.errors],
        }


def load_scenario(source: ScenarioSource) -> Scenario:
    """Load a scenario, or raise one error that lists everything wrong with it.

    Raises:
        SchemaValidationError: With the code of the first mistake; all of them are in
            `details["findings"]`.
        DocumentError: The file is not JSON or YAML.
    """
    with _pause_garbage_collection():
        document = load_source_document(source)
        inspected = inspect_scenario_document(document, get_expected_name(source))
        if inspected.world is None:
            raise _make_load_error(document, inspected.report)
        return _build_scenario(source, document, inspected, inspected.world)


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Disable garbage collection, which takes half the time for a large world.

    Everything that is read stays in use, so there is nothing to collect.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _make_load_error(document: Document, report: Report) -> SchemaValidationError:
    """Build the error for the first mistake, with the number of the others."""
    error = make_report_error(report.errors[0], report)
    others = len(report.errors) - 1
    rest = f"{others} more error{'s' if others > 1 else ''}" if others else ""
    if document.file:
        command = f"saniwa scenario check {shlex.quote(document.file)}"
        rest = f"{rest or 'check it'}: {command}"
    error.hint = "; ".join(part for part in (error.hint, rest) if part)
    return error


def load_source_document(source: ScenarioSource) -> Document:
    """Return the document of a source, not yet checked.

    Raises:
        SchemaValidationError: `SCENARIO_FILE_NOT_FOUND`, `SCENARIO_PATH_OUTSIDE`.
        DocumentError: The file is not JSON or YAML.
    """
    if isinstance(source, Document):
        return source
    if is_built_in(source):
        return make_document(build_default_document(), BUILT_IN)
    if isinstance(source, ScenarioEntry):
        return load_document(get_entry_file(source))
    if isinstance(source, str | os.PathLike):
        return _load_file(source)
    return make_document(dict(source) if isinstance(source, Mapping) else source)


def get_expected_name(source: ScenarioSource) -> str | None:
    """Return the name a scenario's file must have; None if any name will do."""
    if isinstance(source, ScenarioEntry) and source.path is not None:
        return source.scenario_id
    return None


def is_built_in(source: ScenarioSource) -> bool:
    """Whether this is the scenario without a file."""
    return source is None or (isinstance(source, ScenarioEntry) and source.path is None)


def _load_file(path: str | os.PathLike[str]) -> Document:
    try:
        return load_document(path)
    except DocumentError as problem:
        if not isinstance(problem.__cause__, FileNotFoundError):
            raise
        raise SchemaValidationError(
            "SCENARIO_FILE_NOT_FOUND",
            f"the file {os.fspath(path)!r} does not exist",
            where=SourceLocation(file=os.fspath(path)),
            hint=suggest_file(os.fspath(path)) or "check the path and the file name",
            details={"path": os.fspath(path)},
        ) from problem


def _build_scenario(
    source: ScenarioSource, document: Document, inspected: ScenarioInspection, world: World
) -> Scenario:
    plain = document.plain
    hash_of_world = compute_world_hash(world)
    # There is no file whose text could be hashed, so both are the world's hash.
    built_in = is_built_in(source)
    entry = source if isinstance(source, ScenarioEntry) else None
    return Scenario(
        id=entry.scenario_id if entry is not None else _find_name(document),
        document=plain,
        world=world,
        scenario_hash=hash_of_world if built_in else compute_short_hash(plain),
        world_hash=hash_of_world,
        summary=summarise_world(world, inspected.order),
        report=inspected.report,
        entry=entry,
        resolved_path=document.file,
    )


def _find_name(document: Document) -> str:
    """The name the author gave; else the file's name without its ending, or `scenario`."""
    name = document.plain.get("name") or PurePath(document.file).stem
    return name if is_good_name(name) else "scenario"


@dataclass
class ValidationResult:
    """Whether a scenario can be used, and if not, everything that is wrong."""

    passed: bool
    """Whether there is no error."""
    errors: list[SchemaValidationError]
    """One for every mistake, in reading order."""

    @property
    def error_codes(self) -> list[str]:
        """The codes of the errors, in the same order."""
        return [e.code.value for e in self.errors]


def validate_scenario(source: ScenarioSource, scenario_id: str | None = None) -> ValidationResult:
    """Check a complete scenario; None is the built-in one.

    `scenario_id` is the id its name has to match; for an entry, the entry's own.

    Raises:
        SchemaValidationError: `SCENARIO_FILE_NOT_FOUND`, `SCENARIO_PATH_OUTSIDE`.
        DocumentError: The file is not JSON or YAML.
    """
    expected = scenario_id if scenario_id is not None else get_expected_name(source)
    report = inspect_scenario_document(load_source_document(source), expected).report
    errors = [make_report_error(finding, report) for finding in report.errors]
    return ValidationResult(passed=not errors, errors=errors)
