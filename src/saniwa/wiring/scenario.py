"""Which registry, scenario and rulebook a name means, and everything found in them."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.beside import near_file
from saniwa.core.document import FORMATS, Document, read_file
from saniwa.core.errors import (
    DocumentError,
    RulebookError,
    SaniwaError,
    SchemaValidationError,
)
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import SHIPPED, book_from_layers, layers_of, read_book
from saniwa.rulebook.load import inspect as inspect_rules
from saniwa.scenario.entry import ScenarioEntry
from saniwa.scenario.inspect import inspect
from saniwa.scenario.load import Scenario, Source, document_of, expected_name, load
from saniwa.scenario.registry import Registry, stays_inside
from saniwa.wiring.scenario_agents import agent_findings

Layers = tuple[dict[str, Any], ...]

PROJECT_REGISTRY = Path("experiments/scenarios/registry.yaml")
"""Where a project keeps its registry, seen from its own folder."""


def shipped_registry() -> Path:
    """The registry that comes with Saniwa."""
    return Path(str(files("experiments"))) / "scenarios" / "registry.yaml"


def registry_place(named: str | Path | None = None) -> Path:
    """The registry to open: the given one, else $SANIWA_REGISTRY, else the project's own.

    Where none of them is there, the one that comes with Saniwa.
    """
    chosen = named or os.environ.get("SANIWA_REGISTRY")
    if chosen:
        return Path(chosen)
    return PROJECT_REGISTRY if PROJECT_REGISTRY.exists() else shipped_registry()


def project_registry(named: str | Path | None = None) -> Path:
    """The registry to write to: as `registry_place`, but never the shipped one."""
    return Path(named or os.environ.get("SANIWA_REGISTRY") or PROJECT_REGISTRY)


def open_scenario(
    named: str | Mapping[str, Any], registry: Registry | str | Path | None = None
) -> Scenario:
    """The scenario somebody means: an id of the registry, a file, or a document.

    What ends like a JSON or YAML file is a file; everything else is an id. `registry` is a
    `Registry` that is open, or the path of its file; None for the usual one, as
    `registry_place` says.

    Raises:
        SchemaValidationError: It cannot be found or trusted; nothing stands in for it.
        DocumentError: The file is no JSON or YAML.
    """
    if not isinstance(named, str):
        return load(named)
    if is_file(named):
        return load(Path(named))
    return load(find_entry(named, registry))


def find_entry(
    scenario_id: str, registry: Registry | str | Path | None = None
) -> ScenarioEntry:
    """The registry's entry for an id; the registry as for `open_scenario`.

    Raises:
        SchemaValidationError: `REGISTRY_MISSING`, `REGISTRY_LOAD_ERROR`.
    """
    if isinstance(registry, Registry):
        known, place = registry, Path(registry.path)
    else:
        place = registry_place(registry)
        known = Registry.open(place)
    try:
        return known.resolve(scenario_id)
    except SchemaValidationError as problem:
        missing = problem.code == "REGISTRY_MISSING"
        if not missing or not _is_shipped(scenario_id, place):
            raise
        raise SchemaValidationError(
            problem.code,
            problem.message,
            where=problem.where,
            hint=f"{scenario_id!r} comes with Saniwa, but the registry here is another "
            "and hides it: work in a folder without one, or add an entry for a copy",
            details=problem.details,
        ) from problem


def _is_shipped(scenario_id: str, other: Path) -> bool:
    """Whether an id that another registry lacks comes with Saniwa."""
    shipped = shipped_registry()
    known = () if other == shipped else Registry.open(shipped).entries
    return any(entry.scenario_id == scenario_id for entry in known)


def is_file(named: str) -> bool:
    """Whether a name is that of a JSON or YAML file, by how it ends."""
    return Path(named).suffix.lower() in FORMATS


def book_layers(
    scenario: Scenario, book: str | Mapping[str, Any] | None = None
) -> Layers:
    """The layers a run of the scenario is judged by, lowest first.

    `book` is a shipped book's name, which takes the place of the scenario's own, or a
    file or document. One that says what it `extends` stands on that, in place of the
    scenario's own; one that does not is laid over the scenario's own.

    Raises:
        RulebookError: The scenario's book or the given one cannot be read.
        DocumentError: A book's file is no JSON or YAML.
    """
    if isinstance(book, str) and not is_file(book):
        return layers_of(book)
    layer = book_document(Path(book)) if isinstance(book, str) else book
    if layer is None:
        layers = _own_layers(scenario)
    elif "extends" in layer:
        layers = layers_of(layer)
    else:
        layers = (*_own_layers(scenario), dict(layer))
    book_from_layers(layers)
    return layers


def _own_layers(scenario: Scenario) -> Layers:
    spec, file = scenario.rulebook, scenario.resolved_path
    try:
        if isinstance(spec, str) and is_file(spec):
            return layers_of(book_document(_beside(file, spec)))
        return layers_of(spec)
    except (DocumentError, RulebookError) as problem:
        if not file or not isinstance(spec, str) or _inside_book(problem):
            raise
        raise type(problem)(
            problem.code,
            problem.message,
            where=document_of(Path(file)).where(("rulebook",)),
            hint=problem.hint or _book_hint(file, spec),
            details=problem.details,
        ) from problem


def _inside_book(problem: SaniwaError) -> Where | None:
    """Its place in the book; None where something is wrong with the book's name."""
    return problem.where if problem.where and problem.where.line else None


def _beside(scenario: str, spec: str) -> Path:
    """The file a scenario speaks of: beside itself or below, and nowhere else."""
    if not stays_inside(scenario, spec):
        raise RulebookError(
            "RULE_BOOK_OUTSIDE",
            f"the scenario's rulebook {spec!r} is not in the scenario's own folder",
            where=Where(file=scenario, path="rulebook"),
            hint="keep the book beside the scenario, or in a folder below it",
        )
    return Path(scenario).parent / spec


def book_document(path: Path) -> dict[str, Any]:
    """The rulebook in a file as a document, read and found good.

    Raises:
        RulebookError: It is no rulebook, with every finding and its place.
        DocumentError: The file is no JSON or YAML.
    """
    document = read_file(path)
    read_book(document.plain, document.where)
    plain: dict[str, Any] = document.plain
    return plain


def book_named(named: str) -> Rulebook:
    """The rulebook of a shipped name or a file.

    Raises:
        RulebookError: There is no such book, or it cannot be read.
        DocumentError: The file is no JSON or YAML.
    """
    spec = book_document(Path(named)) if is_file(named) else named
    return book_from_layers(layers_of(spec))


def inspect_book(path: Path) -> Report:
    """Everything there is to say about the rulebook in a file.

    Raises:
        DocumentError: The file is no JSON or YAML.
    """
    document = read_file(path)
    report = inspect_rules(document.plain, document.where)
    return Report.of((*document.findings, *report.findings))


class Inspection(NamedTuple):
    """A scenario's document and everything there is to say about it."""

    document: Document
    """What the author wrote."""
    report: Report
    """Its findings, those of its rulebook included."""


def inspect_scenario(source: Source) -> Inspection:
    """Everything there is to say about a scenario, and the rulebook and agents it names.

    Raises:
        SchemaValidationError: There is no such file.
        DocumentError: The scenario is no JSON or YAML.
    """
    document = document_of(source)
    own = inspect(document, expected_name(source)).report
    named = (*book_findings(document), *agent_findings(document))
    return Inspection(document, Report.of((*own.findings, *named)))


def _book_hint(scenario: str, spec: object) -> str:
    """What to do about a book that cannot be read."""
    near = near_file(str(Path(scenario).parent / str(spec)))
    return near or f"keep it beside the scenario, or name one of {', '.join(SHIPPED)}"


def book_findings(document: Document) -> tuple[Finding, ...]:
    """Everything found in the rulebook that a scenario has or names."""
    spec = document.plain.get("rulebook") if isinstance(document.plain, dict) else None
    where = document.where(("rulebook",))
    try:
        if isinstance(spec, str) and is_file(spec):
            return inspect_book(_beside(document.file, spec)).findings
        if isinstance(spec, str):
            layers_of(spec)
    except SaniwaError as problem:
        told = Finding(
            code=problem.code,
            message=problem.message,
            where=_inside_book(problem) or where,
            hint=problem.hint or _book_hint(document.file, spec),
        )
        return (told,)
    if not isinstance(spec, dict):
        return ()
    return inspect_rules(
        spec, lambda path: document.where(("rulebook", *path))
    ).findings
