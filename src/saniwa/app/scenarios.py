"""Which registry, scenario and rulebook a name means, and everything found in them."""

import os
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.errors import (
    ConfigurationError,
    DocumentError,
    RulebookError,
    SaniwaError,
    SchemaValidationError,
)
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.suggestions import suggest_file
from saniwa.documents.document import FORMATS, Document, load_document
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import (
    SHIPPED_BOOKS,
    build_rulebook,
    read_rulebook,
    resolve_layers,
)
from saniwa.rulebook.loader import inspect_rulebook as inspect_rules
from saniwa.scenario.loader import (
    Scenario,
    ScenarioSource,
    get_expected_name,
    inspect_scenario_document,
    load_scenario,
    load_source_document,
)
from saniwa.scenario.registry import Registry, ScenarioEntry, is_inside_folder


def list_authored_agents(scenario: Any) -> dict[str, str]:
    """The agents that a scenario's document names for its characters."""
    people = scenario.get("characters") if isinstance(scenario, dict) else None
    if not isinstance(people, dict):
        return {}
    named = {
        who: each.get("agent") for who, each in people.items() if isinstance(each, dict)
    }
    return {str(w): name for w, name in named.items() if isinstance(name, str)}


def inspect_scenario_agents(document: Document) -> Iterator[Finding]:
    """Agents that cannot be found from here. They may be found elsewhere: no error."""
    for who, name in sorted(list_authored_agents(document.plain).items()):
        # Late: few scenarios name any.
        from saniwa.app.agent_catalog import find_agent

        try:
            find_agent(name)
        except ConfigurationError as problem:
            yield Finding(
                code=problem.code,
                message=f"{problem.message}, for the character {who!r}",
                where=document.locate(("characters", who, "agent")),
                severity="warning",
                hint=problem.hint,
            )


BookLayers = tuple[dict[str, Any], ...]

PROJECT_REGISTRY = Path("experiments/scenarios/registry.yaml")
"""Where a project keeps its registry, seen from its own folder."""


def locate_shipped_registry() -> Path:
    """The registry that comes with Saniwa."""
    return Path(str(files("experiments"))) / "scenarios" / "registry.yaml"


def locate_registry(named: str | Path | None = None) -> Path:
    """The registry to open: the given one, else $SANIWA_REGISTRY, else the project's own.

    Where none of them is there, the one that comes with Saniwa.
    """
    chosen = named or os.environ.get("SANIWA_REGISTRY")
    if chosen:
        return Path(chosen)
    return PROJECT_REGISTRY if PROJECT_REGISTRY.exists() else locate_shipped_registry()


def locate_project_registry(named: str | Path | None = None) -> Path:
    """The registry to write to: as `locate_registry`, but never the shipped one."""
    return Path(named or os.environ.get("SANIWA_REGISTRY") or PROJECT_REGISTRY)


def open_scenario(
    named: str | Mapping[str, Any], registry: Registry | str | Path | None = None
) -> Scenario:
    """The scenario somebody means: an id of the registry, a file, or a document.

    What ends like a JSON or YAML file is a file; everything else is an id. `registry` is a
    `Registry` that is open, or the path of its file; None for the usual one, as
    `locate_registry` says.

    Raises:
        SchemaValidationError: It cannot be found or trusted; nothing stands in for it.
        DocumentError: The file is no JSON or YAML.
    """
    if not isinstance(named, str):
        return load_scenario(named)
    if is_document_file(named):
        return load_scenario(Path(named))
    return load_scenario(find_entry(named, registry))


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
        place = locate_registry(registry)
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
    shipped = locate_shipped_registry()
    known = () if other == shipped else Registry.open(shipped).entries
    return any(entry.scenario_id == scenario_id for entry in known)


def is_document_file(named: str) -> bool:
    """Whether a name is that of a JSON or YAML file, by how it ends."""
    return Path(named).suffix.lower() in FORMATS


def load_book_layers(
    scenario: Scenario, book: str | Mapping[str, Any] | None = None
) -> BookLayers:
    """The layers a run of the scenario is judged by, lowest first.

    `book` is a shipped book's name, which takes the place of the scenario's own, or a
    file or document. One that says what it `extends` stands on that, in place of the
    scenario's own; one that does not is laid over the scenario's own.

    Raises:
        RulebookError: The scenario's book or the given one cannot be read.
        DocumentError: A book's file is no JSON or YAML.
    """
    if isinstance(book, str) and not is_document_file(book):
        return resolve_layers(book)
    layer = read_book_document(Path(book)) if isinstance(book, str) else book
    if layer is None:
        layers = _load_own_layers(scenario)
    elif "extends" in layer:
        layers = resolve_layers(layer)
    else:
        layers = (*_load_own_layers(scenario), dict(layer))
    build_rulebook(layers)
    return layers


def _load_own_layers(scenario: Scenario) -> BookLayers:
    spec, file = scenario.rulebook, scenario.resolved_path
    try:
        if isinstance(spec, str) and is_document_file(spec):
            return resolve_layers(read_book_document(_resolve_book_path(file, spec)))
        return resolve_layers(spec)
    except (DocumentError, RulebookError) as problem:
        if not file or not isinstance(spec, str) or _find_place_in_book(problem):
            raise
        raise type(problem)(
            problem.code,
            problem.message,
            where=load_source_document(Path(file)).locate(("rulebook",)),
            hint=problem.hint or _suggest_book(file, spec),
            details=problem.details,
        ) from problem


def _find_place_in_book(problem: SaniwaError) -> SourceLocation | None:
    """Its place in the book; None where something is wrong with the book's name."""
    return problem.where if problem.where and problem.where.line else None


def _resolve_book_path(scenario: str, spec: str) -> Path:
    """The file a scenario speaks of: beside itself or below, and nowhere else."""
    if not is_inside_folder(scenario, spec):
        raise RulebookError(
            "RULE_BOOK_OUTSIDE",
            f"the scenario's rulebook {spec!r} is not in the scenario's own folder",
            where=SourceLocation(file=scenario, path="rulebook"),
            hint="keep the book beside the scenario, or in a folder below it",
        )
    return Path(scenario).parent / spec


def read_book_document(path: Path) -> dict[str, Any]:
    """The rulebook in a file as a document, read and found good.

    Raises:
        RulebookError: It is no rulebook, with every finding and its place.
        DocumentError: The file is no JSON or YAML.
    """
    document = load_document(path)
    read_rulebook(document.plain, document.locate)
    plain: dict[str, Any] = document.plain
    return plain


def load_book(named: str) -> Rulebook:
    """The rulebook of a shipped name or a file.

    Raises:
        RulebookError: There is no such book, or it cannot be read.
        DocumentError: The file is no JSON or YAML.
    """
    spec = read_book_document(Path(named)) if is_document_file(named) else named
    return build_rulebook(resolve_layers(spec))


def inspect_book(path: Path) -> Report:
    """Everything there is to say about the rulebook in a file.

    Raises:
        DocumentError: The file is no JSON or YAML.
    """
    document = load_document(path)
    report = inspect_rules(document.plain, document.locate)
    return Report.from_findings((*document.findings, *report.findings))


class InspectedScenario(NamedTuple):
    """A scenario's document and everything there is to say about it."""

    document: Document
    """What the author wrote."""
    report: Report
    """Its findings, those of its rulebook included."""


def inspect_scenario(source: ScenarioSource) -> InspectedScenario:
    """Everything there is to say about a scenario, and the rulebook and agents it names.

    Raises:
        SchemaValidationError: There is no such file.
        DocumentError: The scenario is no JSON or YAML.
    """
    document = load_source_document(source)
    own = inspect_scenario_document(document, get_expected_name(source)).report
    named = (*inspect_scenario_book(document), *inspect_scenario_agents(document))
    return InspectedScenario(document, Report.from_findings((*own.findings, *named)))


def _suggest_book(scenario: str, spec: object) -> str:
    """What to do about a book that cannot be read."""
    near = suggest_file(str(Path(scenario).parent / str(spec)))
    return (
        near
        or f"keep it beside the scenario, or name one of {', '.join(SHIPPED_BOOKS)}"
    )


def inspect_scenario_book(document: Document) -> tuple[Finding, ...]:
    """Everything found in the rulebook that a scenario has or names."""
    spec = document.plain.get("rulebook") if isinstance(document.plain, dict) else None
    where = document.locate(("rulebook",))
    try:
        if isinstance(spec, str) and is_document_file(spec):
            return inspect_book(_resolve_book_path(document.file, spec)).findings
        if isinstance(spec, str):
            resolve_layers(spec)
    except SaniwaError as problem:
        told = Finding(
            code=problem.code,
            message=problem.message,
            where=_find_place_in_book(problem) or where,
            hint=problem.hint or _suggest_book(document.file, spec),
        )
        return (told,)
    if not isinstance(spec, dict):
        return ()
    return inspect_rules(
        spec, lambda path: document.locate(("rulebook", *path))
    ).findings
