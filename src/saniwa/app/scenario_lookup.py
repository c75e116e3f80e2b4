"""Resolves names of registries, scenarios and rulebooks, and checks what they name."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import experiments

from saniwa.app import describe
from saniwa.core import errors
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.suggestions import suggest_file
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS, Document, load_document
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.loader import SHIPPED_BOOKS, build_rulebook, read_rulebook, resolve_layers
from saniwa.rulebook.loader import inspect_rulebook as inspect_rules
from saniwa.scenario import loader
from saniwa.scenario.registry import Registry, ScenarioEntry, is_inside_folder
from saniwa.scenario.scaffold import is_usable_id


def list_authored_agents(scenario: Any) -> dict[str, str]:
    """Return the agents that a scenario's document names, by character."""
    people = scenario.get("characters") if isinstance(scenario, dict) else None
    if not isinstance(people, dict):
        return {}
    named = {who: each.get("agent") for who, each in people.items() if isinstance(each, dict)}
    return {str(w): name for w, name in named.items() if isinstance(name, str)}


def inspect_scenario_agents(document: Document) -> Iterator[Finding]:
    """Warn about agents that are not found here; elsewhere they may be."""
    for who, name in sorted(list_authored_agents(document.plain).items()):
        # Imported late, because few scenarios name an agent.
        from saniwa.app.agent_lookup import find_agent

        try:
            find_agent(name)
        except errors.ConfigurationError as problem:
            yield problem.to_finding(
                document.locate(("characters", who, "agent")),
                message=f"{problem.message}, for the character {who!r}",
                severity="warning",
            )


BookLayers = tuple[dict[str, Any], ...]

PROJECT_REGISTRY = Path("experiments/scenarios/registry.yaml")
"""The project's registry, relative to the project."""
BOOKS_FOLDER: Final = "rulebooks"
"""The folder of the project's own rulebooks, next to its registry."""


def locate_shipped_registry() -> Path:
    """Return the registry that is shipped with Saniwa."""
    return Path(experiments.__path__[0]) / "scenarios" / "registry.yaml"


def locate_registry(named: str | Path | None = None) -> Path:
    """Return the registry to open: as given, else $SANIWA_REGISTRY, else the project's.

    If there is none of them, the one shipped with Saniwa.
    """
    chosen = named or os.environ.get("SANIWA_REGISTRY")
    if chosen:
        return Path(chosen)
    return PROJECT_REGISTRY if PROJECT_REGISTRY.exists() else locate_shipped_registry()


def locate_project_registry(named: str | Path | None = None) -> Path:
    """Return the registry to write: as `locate_registry`, but never the shipped one."""
    return Path(named or os.environ.get("SANIWA_REGISTRY") or PROJECT_REGISTRY)


def open_scenario(
    named: str | Mapping[str, Any], registry: Registry | str | Path | None = None
) -> loader.Scenario:
    """Open the scenario that the caller names: a registry id, a file, or a document.

    A name with the suffix of a JSON or YAML file is a file; every other name is an id.
    `registry` is an open `Registry`, or the path of its file; None for the default of
    `locate_registry`.

    Raises:
        SchemaValidationError: It cannot be found or is invalid; there is no fallback.
        DocumentError: The file is not valid JSON or YAML.
    """
    if not isinstance(named, str):
        return loader.load_scenario(named)
    if is_document_file(named):
        return loader.load_scenario(Path(named))
    return loader.load_scenario(find_entry(named, registry))


def find_entry(scenario_id: str, registry: Registry | str | Path | None = None) -> ScenarioEntry:
    """Return the registry's entry for an id; `registry` as for `open_scenario`.

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
    except errors.SchemaValidationError as problem:
        if problem.code == "REGISTRY_MISSING":
            raise _explain_missing(problem, scenario_id, place) from problem
        raise


def _explain_missing(
    problem: errors.SchemaValidationError, scenario_id: str, place: Path
) -> errors.SchemaValidationError:
    """Return the error with the place of the user's own registry, and a hint."""
    message, where, hint = problem.message, problem.where, problem.hint
    if place == locate_shipped_registry():
        # The user has no such file.
        message, where = f"There is no scenario {quote_value(scenario_id)}", None
        if not hint.startswith("did you mean"):
            hint += (
                f"; your own need an entry in {PROJECT_REGISTRY.as_posix()}, which "
                "'saniwa scenario new' writes; 'saniwa scenario list' describes all of them"
            )
    elif _is_shipped(scenario_id, place):
        hint = (
            f"{scenario_id!r} is included with Saniwa, but this folder's registry "
            "does not list it: work in a folder without a registry, or add an entry for a copy"
        )
    return errors.SchemaValidationError(
        problem.code, message, where=where, hint=hint, details=problem.details
    )


def _is_shipped(scenario_id: str, other: Path) -> bool:
    """Whether an id that another registry lacks is shipped with Saniwa."""
    shipped = locate_shipped_registry()
    known = () if other == shipped else Registry.open(shipped).entries
    return any(entry.scenario_id == scenario_id for entry in known)


def is_document_file(named: str) -> bool:
    """Whether a name has the suffix of a JSON or YAML file."""
    return Path(named).suffix.lower() in FORMATS


def locate_books_folder(registry: str | Path | None = None) -> Path:
    """Return the folder of the project's own rulebooks."""
    place = locate_project_registry(registry)
    if place == locate_shipped_registry():
        place = locate_project_registry()
    return place.parent / BOOKS_FOLDER


def list_own_books(registry: str | Path | None = None) -> dict[str, Path]:
    """Return the files of the project's own rulebooks by name, in order.

    A shipped book's name keeps its meaning, and links are not followed. Of two files
    with one name the first counts: `.json` before `.yaml`.
    """
    found = dict[str, Path]()
    # Most projects have no such folder.
    with suppress(FileNotFoundError, NotADirectoryError):
        for file in sorted(locate_books_folder(registry).iterdir()):
            if _is_own_book(file):
                found.setdefault(file.stem, file)
    return dict(sorted(found.items()))


def _is_own_book(file: Path) -> bool:
    named = is_document_file(file.name) and is_usable_id(file.stem)
    is_plain = file.is_file() and not file.is_symlink()
    return named and is_plain and file.stem not in SHIPPED_BOOKS


def read_named_book(name: str, registry: str | Path | None = None) -> str | dict[str, Any]:
    """Read the project's own rulebook of a name; a shipped book's name is returned.

    Never reads a file by its path, because the caller may be remote.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`; or it is not a valid rulebook.
        DocumentError: Its file is not valid JSON or YAML.
    """
    file = _find_own_book(name, registry)
    return name if file is None else read_book_document(file)


def read_book(named: str, registry: str | Path | None = None) -> str | dict[str, Any]:
    """Read a rulebook as `read_named_book` does, or from a file.

    Raises:
        RulebookError, DocumentError: As `read_named_book` does.
    """
    if is_document_file(named):
        return read_book_document(Path(named))
    return read_named_book(named, registry)


def _find_own_book(name: str, registry: str | Path | None) -> Path | None:
    """Return the file of the project's own rulebook; None for a shipped name."""
    if name in SHIPPED_BOOKS:
        return None
    own = list_own_books(registry)
    if name not in own:
        notes = RulebookFindings()
        notes.add_unknown("RULE_UNKNOWN_BOOK", (), name, (*SHIPPED_BOOKS, *own))
        raise notes.build_error()
    return own[name]


def load_book_layers(
    scenario: loader.Scenario,
    book: str | Mapping[str, Any] | None = None,
    registry: str | Path | None = None,
) -> BookLayers:
    """Return the rulebook layers that judge a run of the scenario, lowest first.

    `book` is a shipped rulebook's name, which replaces the scenario's own, or the name
    of one of the project's own, a file or a document. A document with `extends`
    replaces the scenario's own rulebook and is layered on what it extends; one without
    is layered on the scenario's own. `registry` is where names of the project's own are
    found; None for that of the scenario.

    Raises:
        RulebookError: The scenario's rulebook or the given one cannot be read.
        DocumentError: A rulebook's file is not valid JSON or YAML.
    """
    registry = registry or (scenario.entry.registry if scenario.entry else None)
    layer = read_book(book, registry) if isinstance(book, str) else book
    if isinstance(layer, str):
        return resolve_layers(layer)
    if layer is None:
        layers = _load_own_layers(scenario, registry)
    elif "extends" in layer:
        layers = resolve_layers(layer)
    else:
        layers = (*_load_own_layers(scenario, registry), dict(layer))
    build_rulebook(layers)
    return layers


def _load_own_layers(scenario: loader.Scenario, registry: str | Path | None) -> BookLayers:
    spec, file = scenario.rulebook, scenario.resolved_path
    try:
        if not isinstance(spec, str):
            return resolve_layers(spec)
        book = _find_scenario_book(file, spec, registry)
        return resolve_layers(spec if book is None else read_book_document(book))
    except (errors.DocumentError, errors.RulebookError) as problem:
        if not file or not isinstance(spec, str) or _find_place_in_book(problem):
            raise
        raise type(problem)(
            problem.code,
            problem.message,
            where=loader.load_source_document(Path(file)).locate(("rulebook",)),
            hint=_suggest_book(file, spec, problem),
            details=problem.details,
        ) from problem


def _find_place_in_book(problem: errors.SaniwaError) -> SourceLocation | None:
    """Return the place in the rulebook; None if the rulebook's name is wrong."""
    return problem.where if problem.where and problem.where.line else None


def _find_scenario_book(scenario: str, spec: str, registry: str | Path | None) -> Path | None:
    """Return the file of the rulebook that a scenario names; None for a shipped one."""
    if is_document_file(spec):
        return _resolve_book_path(scenario, spec)
    return _find_own_book(spec, registry)


def _resolve_book_path(scenario: str, spec: str) -> Path:
    """Return the rulebook file that a scenario names, in its folder or below."""
    if not is_inside_folder(scenario, spec):
        raise describe("RULE_BOOK_OUTSIDE", spec=spec).to_error(
            errors.RulebookError, where=SourceLocation(file=scenario, path="rulebook")
        )
    return Path(scenario).parent / spec


def read_book_document(path: Path) -> dict[str, Any]:
    """Read the rulebook in a file as a document, and check it.

    Raises:
        RulebookError: It is not a valid rulebook; with every finding and its place.
        DocumentError: The file is not valid JSON or YAML.
    """
    document = load_document(path)
    read_rulebook(document.plain, document.locate)
    plain: dict[str, Any] = document.plain
    return plain


def open_rulebook(named: str) -> Rulebook:
    """Load the rulebook of a shipped name, a name of the project's own, or a file.

    Raises:
        RulebookError: There is no such rulebook, or it cannot be read.
        DocumentError: The file is not valid JSON or YAML.
    """
    return build_rulebook(resolve_layers(read_book(named)))


def inspect_book(path: Path) -> Report:
    """Check the rulebook in a file.

    Raises:
        DocumentError: The file is not valid JSON or YAML.
    """
    document = load_document(path)
    report = inspect_rules(document.plain, document.locate)
    return Report.from_findings((*document.findings, *report.findings))


class InspectedScenario(NamedTuple):
    """A scenario's document and all findings about it."""

    document: Document
    """The document as its author wrote it."""
    report: Report
    """Its findings, with those of its rulebook."""


def inspect_scenario(source: loader.ScenarioSource) -> InspectedScenario:
    """Check a scenario, and the rulebook and agents that it names.

    Raises:
        SchemaValidationError: There is no such file.
        DocumentError: The scenario is not valid JSON or YAML.
    """
    document = loader.load_source_document(source)
    own = loader.inspect_scenario_document(document, loader.get_expected_name(source)).report
    registry = source.registry if isinstance(source, ScenarioEntry) else None
    named = (*inspect_scenario_book(document, registry), *inspect_scenario_agents(document))
    return InspectedScenario(document, Report.from_findings((*own.findings, *named)))


def _suggest_book(scenario: str, spec: object, problem: errors.SaniwaError) -> str:
    """Return a hint for a rulebook that cannot be read."""
    if problem.hint and not isinstance(problem.__cause__, FileNotFoundError):
        return problem.hint
    near = suggest_file(str(Path(scenario).parent / str(spec)))
    return near or f"move it next to the scenario, or use one of {', '.join(SHIPPED_BOOKS)}"


def inspect_scenario_book(
    document: Document, registry: str | Path | None = None
) -> tuple[Finding, ...]:
    """Return the findings of the rulebook that a scenario contains or names."""
    spec = document.plain.get("rulebook") if isinstance(document.plain, dict) else None
    where = document.locate(("rulebook",))
    try:
        if isinstance(spec, str):
            book = _find_scenario_book(document.file, spec, registry)
            return () if book is None else inspect_book(book).findings
    except errors.SaniwaError as problem:
        hint = _suggest_book(document.file, spec, problem)
        return (problem.to_finding(_find_place_in_book(problem) or where, hint=hint),)
    if not isinstance(spec, dict):
        return ()
    return inspect_rules(spec, lambda path: document.locate(("rulebook", *path))).findings
