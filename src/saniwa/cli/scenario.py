"""`saniwa scenario`: list, check, make, import and hash scenarios."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click
import msgspec

from saniwa.cli import render
from saniwa.cli.command_definition import define_command
from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.findings import Report
from saniwa.core.text import escape_control_characters, quote_value
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    from saniwa.integrations.textworld.importer import ImportedFiles, ImportedGame
    from saniwa.runs.rehearsal import RehearsalResult
    from saniwa.scenario.loader import ScenarioSource


@define_command("scenario import")
def import_scenario(game: str, name: str | None, output: str | None, as_json: bool) -> None:
    """Convert a game written by TextWorld's tw-make into a scenario.

    Its walkthrough, if there is one, is tested and written to walkthroughs/ID.txt next to
    the scenario. Anything that a scenario cannot express is reported. Existing files are
    never overwritten.

    \b
    Examples:
      saniwa scenario import game.json
      saniwa scenario import game.json --name cellar -o stories/cellar.yaml
    """
    from saniwa.documents.document import load_document
    from saniwa.integrations.textworld.importer import import_game, write_imported_game

    scenario_id = _check_id(name or Path(game).stem)
    document = load_document(game)
    imported = import_game(document, scenario_id)
    for finding in () if as_json else imported.report.findings:
        render.show_finding(finding, document.text)
        click.echo()
    if imported.scenario is None:
        errors = render.format_count(len(imported.report.errors), "error")
        render.print_result(
            as_json, _build_import_report(imported, None, None), [f"nothing written: {errors}"]
        )
        render.exit_with(render.EXIT_FINDINGS)
    rehearsed = _rehearse_game(imported)
    written = write_imported_game(
        output or f"{scenario_id}.yaml", imported.scenario, imported.walkthrough
    )
    report = _build_import_report(imported, written, rehearsed)
    render.print_result(as_json, report, _format_written(written, rehearsed, imported.walkthrough))


def _check_id(name: str) -> str:
    from saniwa.core.errors import ScenarioError
    from saniwa.scenario.scaffold import is_usable_id

    if is_usable_id(name):
        return name
    raise ScenarioError(
        "NAME_UNUSABLE",
        f"{name!r} cannot be the id of a scenario",
        hint="give one with --name: letters, digits, '_' and '-'",
    )


def _rehearse_game(imported: "ImportedGame") -> "RehearsalResult | None":
    """Play the walkthrough of an imported game; None without a walkthrough.

    Raises:
        SchemaValidationError: The scenario is invalid after all.
        RulebookError: Its rulebook cannot be read.
    """
    from saniwa.app.scenario_lookup import load_book_layers
    from saniwa.rulebook.loader import build_rulebook
    from saniwa.runs.rehearsal import rehearse_walkthrough
    from saniwa.scenario.loader import load_scenario

    assert imported.scenario is not None
    scenario = load_scenario(imported.scenario)
    world = scenario.world
    if not imported.walkthrough:
        return None
    assert world.protagonist is not None
    book = build_rulebook(load_book_layers(scenario))
    return rehearse_walkthrough(world, book, world.protagonist, imported.walkthrough)


def _format_written(
    written: "ImportedFiles", rehearsed: "RehearsalResult | None", lines: tuple[str, ...]
) -> Iterator[str]:
    both = f"{written.scenario} and {written.walkthrough}"
    yield f"wrote {both if written.walkthrough else written.scenario}"
    if rehearsed is None:
        yield f"play it: saniwa play {quote(written.scenario)}"
        return
    if rehearsed.wins:
        yield f"its walkthrough reaches the goal in {render.format_count(rehearsed.lines, 'line')}"
    else:
        yield _explain_loss(rehearsed, lines)
    yield f"play it: saniwa play {quote(written.scenario)} --input {quote(written.walkthrough)}"


def _explain_loss(rehearsed: "RehearsalResult", lines: tuple[str, ...]) -> str:
    if not rehearsed.stumble:
        return "its walkthrough does not reach the goal: it ends too early"
    line = lines[rehearsed.lines - 1]
    return (
        f"its walkthrough does not reach the goal: line {rehearsed.lines}, {line!r}, "
        f"has no effect ({rehearsed.stumble})"
    )


def _build_import_report(
    imported: "ImportedGame", written: "ImportedFiles | None", rehearsed: "RehearsalResult | None"
) -> dict[str, Any]:
    return {
        "written": None if written is None else written._asdict(),
        "walkthrough": None if rehearsed is None else rehearsed._asdict(),
        "findings": [found.to_document() for found in imported.report.findings],
    }


def _resolve_source(named: str, registry: str | None) -> "ScenarioSource":
    """Return a name with a JSON or YAML suffix as a file; look others up as an id."""
    from saniwa.app.scenario_lookup import find_entry

    kind = Path(named).suffix.lower()
    if kind in FORMATS:
        return named
    if kind == ".md":
        raise SchemaValidationError(
            "REGISTRY_MISSING",
            f"{quote_value(named)} is a story, not a scenario",
            hint=f"check it: saniwa check {shlex.quote(named)}",
        )
    return find_entry(named, registry)


@define_command("scenario list")
def list_scenarios(tags: tuple[str, ...], registry: str | None, as_json: bool) -> None:
    """List the scenarios of the registry, those for beginners first.

    With several --tag options, lists scenarios with any of these tags.

    \b
    Example:
      saniwa scenario list --tag demo --tag lock
    """
    from saniwa.app.scenario_lookup import locate_registry
    from saniwa.core.redaction import to_public_path
    from saniwa.scenario.registry import Registry

    found = Registry.open(locate_registry(registry))
    entries = [e for e in found.list_for_people() if not tags or set(tags) & set(e.tags)]
    if as_json:
        rows = [
            {k: v for k, v in msgspec.to_builtins(e).items() if k != "registry"} for e in entries
        ]
        render.print_json({"registry": to_public_path(found.path), "scenarios": rows})
        return
    for entry in entries:
        click.echo(
            f"{click.style(f'{entry.scenario_id:<20}', bold=True)} {entry.level:<9} "
            f"{escape_control_characters(entry.description)}"
        )


class _ScenarioCheck(NamedTuple):
    """A checked scenario: its name and file, its text to quote from, the findings."""

    named: str
    file: str
    text: str | None
    report: Report

    def has_passed(self, strict: bool) -> bool:
        """Whether no finding makes the check fail."""
        return not any(render.is_failure(each, strict) for each in self.report.findings)


@define_command("scenario check")
def check(scenarios: tuple[str, ...], strict: bool, registry: str | None, as_json: bool) -> None:
    """Check scenarios and report every problem, its location and how to fix it.

    Without a name, checks every scenario in the registry.

    \b
    Examples:
      saniwa scenario check
      saniwa scenario check coffee_trap my_story.yaml --strict
    """
    checked = _check_named(scenarios, registry)
    passed = all(one.has_passed(strict) for one in checked)
    errors = sum(len(one.report.errors) for one in checked)
    warnings = sum(len(one.report.warnings) for one in checked)
    if as_json:
        rows = [
            {
                "scenario": one.named,
                "file": one.file,
                "passed": one.has_passed(strict),
                "findings": [each.to_document() for each in one.report.findings],
            }
            for one in checked
        ]
        counts = {"passed": passed, "errors": errors, "warnings": warnings}
        render.print_json({**counts, "scenarios": rows})
    else:
        _show_checks(checked, strict)
        click.echo(
            f"{render.format_count(errors, 'error')}, {render.format_count(warnings, 'warning')}"
        )
    render.exit_passed(passed)


def _check_named(names: Sequence[str], registry: str | None) -> list[_ScenarioCheck]:
    from saniwa.app.scenario_lookup import locate_registry
    from saniwa.scenario.registry import inspect_registry

    if not names:
        found = inspect_registry(locate_registry(registry))
        about = _ScenarioCheck(
            "registry", found.path, render.read_source_text(found.path), found.report
        )
        return [about, *(_check_one(e.scenario_id, e) for e in found.entries)]
    return [_check_one(name, _resolve_source(name, registry)) for name in names]


def _check_one(named: str, source: "ScenarioSource") -> _ScenarioCheck:
    from saniwa.app.scenario_lookup import inspect_scenario

    try:
        document, report = inspect_scenario(source)
    except DocumentError as problem:
        finding = problem.to_finding()
        file = finding.where.file
        return _ScenarioCheck(named, file, render.read_source_text(file), Report((finding,)))
    return _ScenarioCheck(named, document.file, document.text or None, report)


def _show_checks(checked: Sequence[_ScenarioCheck], strict: bool) -> None:
    for one in checked:
        for finding in one.report.findings:
            render.show_finding(finding, one.text)
            click.echo()
    for one in checked:
        if not one.has_passed(strict):
            render.show_outcome(one.named, "FAIL")
        else:
            render.show_outcome(one.named, "WARN" if one.report.findings else "OK")


@define_command("scenario new")
def new(
    *, scenario_id: str, language: Literal["en", "ja"] = "en", registry: str | None, as_json: bool
) -> None:
    """Create a small scenario to start from and add it to the registry.

    Existing files are never overwritten, and comments in the registry are kept. If there
    is no registry yet, creates experiments/scenarios/registry.yaml in this folder, with a
    copy of every scenario included with Saniwa.

    \b
    Example:
      saniwa scenario new my_story --language ja
    """
    from saniwa.app.scenario_files import create_registry
    from saniwa.app.scenario_lookup import locate_project_registry
    from saniwa.scenario.scaffold import add_scenario

    create_registry(scenario_id, registry)
    added = add_scenario(str(locate_project_registry(registry)), scenario_id, language)
    lines = (
        f"wrote {added.file} and named it in {added.registry}",
        f"check it: saniwa scenario check {scenario_id}",
    )
    render.print_result(as_json, added._asdict(), lines)


@define_command("scenario summary")
def summary(named: str, registry: str | None, as_json: bool) -> None:
    """Show what a scenario contains.

    \b
    Example:
      saniwa scenario summary lantern_island
    """
    from saniwa.scenario.loader import load_scenario

    found = load_scenario(_resolve_source(named, registry))
    if as_json:
        render.print_json(found.to_meta())
        return
    counts = found.summary.counts
    render.show_text(found.id, bold=True)
    for label, words in (
        ("about", str(found.document.get("description", ""))),
        ("places", f"{counts.locations}: {', '.join(found.summary.locations)}"),
        ("people", f"{counts.characters}: {', '.join(found.world.inventory)}"),
        ("things", f"{counts.objects}: {_join_names(found.summary.objects_top10, counts.objects)}"),
        ("language", found.world.language),
        ("time", found.world.time.label),
        ("scenario", found.scenario_hash),
        ("world", found.world_hash),
    ):
        if words:
            click.echo(f"  {label:<9} {escape_control_characters(words)}")


def _join_names(names: Sequence[str], count: int) -> str:
    more = f" (+{count - len(names)} more)" if count > len(names) else ""
    return ", ".join(names) + more


@define_command("scenario hash")
def hash_scenario(named: str, registry: str | None, as_json: bool) -> None:
    """Show the hashes of a scenario's document and of its world.

    \b
    Example:
      saniwa scenario hash coffee_trap
    """
    from saniwa.scenario.loader import load_scenario

    found = load_scenario(_resolve_source(named, registry))
    hashes = {"scenario_hash": found.scenario_hash, "world_hash": found.world_hash}
    lines = (f"{name:<13} {value}" for name, value in hashes.items())
    render.print_result(as_json, {"scenario_id": found.id, **hashes}, lines)
