"""`saniwa scenario`: list, check, make, import and hash scenarios."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from saniwa.cli.options import json_option, registry_option
from saniwa.cli.render import FINDINGS, FINE, answer, show_finding, text_of
from saniwa.cli.scenario_import import import_scenario
from saniwa.cli.tally import counted, counts
from saniwa.core.document import FORMATS
from saniwa.core.errors import DocumentError, SchemaValidationError
from saniwa.core.finding import Finding, Report
from saniwa.core.quoted import printable, quoted
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.scenario.load import Source


@click.group(
    epilog="""\b
Examples:
  saniwa scenario list --tag demo
  saniwa scenario check my_story.yaml
  saniwa scenario new my_story
  saniwa scenario hash coffee_trap
"""
)
def scenario() -> None:
    """List, check, make, import and hash scenarios."""


scenario.add_command(import_scenario)


def _source(named: str, registry: str | None) -> "Source":
    """What ends like a JSON or YAML file is a file; everything else is an id."""
    from saniwa.wiring.scenario import find_entry

    kind = Path(named).suffix.lower()
    if kind in FORMATS:
        return named
    if kind == ".md":
        raise SchemaValidationError(
            "REGISTRY_MISSING",
            f"{quoted(named)} is a story and no scenario",
            hint=f"check it: saniwa check {shlex.quote(named)}",
        )
    return find_entry(named, registry)


@scenario.command("list")
@click.option("--tag", "tags", multiple=True, help="Only those with this tag.")
@registry_option
@json_option
def list_scenarios(tags: tuple[str, ...], registry: str | None, as_json: bool) -> None:
    """List the scenarios of the registry.

    With several --tag, those that have any of them.

    \b
    Example:
      saniwa scenario list --tag demo --tag lock
    """
    from saniwa.scenario.registry import Registry
    from saniwa.scenario.summary import shown_path
    from saniwa.wiring import registry_place

    found = Registry.open(registry_place(registry))
    entries = [e for e in found.entries if not tags or set(tags) & set(e.tags)]
    if as_json:
        told = [
            {k: v for k, v in msgspec.to_builtins(e).items() if k != "registry"}
            for e in entries
        ]
        answer({"registry": shown_path(found.path), "scenarios": told})
        return
    for entry in entries:
        click.echo(
            f"{click.style(f'{entry.scenario_id:<20}', bold=True)} "
            f"{printable(entry.description)}"
        )


class _Checked(NamedTuple):
    """One scenario after its check."""

    named: str
    file: str
    text: str | None
    report: Report


@scenario.command()
@click.argument("scenarios", nargs=-1, metavar="[ID|FILE]...")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@registry_option
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    scenarios: tuple[str, ...],
    strict: bool,
    registry: str | None,
    as_json: bool,
) -> None:
    """Check scenarios and tell every mistake, with its place and cure.

    Without a name, every scenario of the registry.

    \b
    Examples:
      saniwa scenario check
      saniwa scenario check coffee_trap my_story.yaml --strict
    """
    checked = _check_named(scenarios, registry)
    bad = [f for c in checked for f in c.report.findings if counts(f, strict)]
    if as_json:
        answer(_as_json(checked, strict))
    else:
        _show_checked(checked, strict)
    ctx.exit(FINDINGS if bad else FINE)


def _check_named(names: Sequence[str], registry: str | None) -> list[_Checked]:
    from saniwa.scenario.registry import inspect_registry
    from saniwa.wiring import registry_place

    if not names:
        found = inspect_registry(registry_place(registry))
        about = _Checked("registry", found.path, text_of(found.path), found.report)
        return [about, *(_check_one(e.scenario_id, e) for e in found.entries)]
    return [_check_one(name, _source(name, registry)) for name in names]


def _check_one(named: str, source: "Source") -> _Checked:
    from saniwa.wiring import inspect_scenario

    try:
        document, report = inspect_scenario(source)
    except DocumentError as problem:
        return _unreadable(named, problem)
    return _Checked(named, document.file, document.text or None, report)


def _unreadable(named: str, problem: DocumentError) -> _Checked:
    where = problem.where or Where()
    finding = Finding(
        code=problem.code, message=problem.message, where=where, hint=problem.hint
    )
    return _Checked(named, where.file, text_of(where.file), Report((finding,)))


def _as_json(checked: Sequence[_Checked], strict: bool) -> dict[str, Any]:
    return {
        "passed": not any(
            counts(f, strict) for c in checked for f in c.report.findings
        ),
        "errors": sum(len(c.report.errors) for c in checked),
        "warnings": sum(len(c.report.warnings) for c in checked),
        "scenarios": [
            {
                "scenario": c.named,
                "file": c.file,
                "passed": not any(counts(f, strict) for f in c.report.findings),
                "findings": [f.as_document() for f in c.report.findings],
            }
            for c in checked
        ],
    }


def _show_checked(checked: Sequence[_Checked], strict: bool) -> None:
    for one in checked:
        for finding in one.report.findings:
            show_finding(finding, one.text)
            click.echo()
    for one in checked:
        if any(counts(f, strict) for f in one.report.findings):
            click.echo(f"{click.style('FAIL', fg='red')}: {printable(one.named)}")
        elif one.report.findings:
            click.echo(f"{click.style('WARN', fg='yellow')}: {printable(one.named)}")
        else:
            click.echo(f"{click.style('OK', fg='green')}: {printable(one.named)}")
    errors = sum(len(c.report.errors) for c in checked)
    warnings = sum(len(c.report.warnings) for c in checked)
    click.echo(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}")


@scenario.command()
@click.argument("scenario_id", metavar="ID")
@click.option(
    "--language",
    type=click.Choice(["en", "ja"]),
    default="en",
    help="The language of the text to begin from.",
)
@registry_option
@json_option
def new(scenario_id: str, language: str, registry: str | None, as_json: bool) -> None:
    """Write a small scenario to begin from, and name it in the registry.

    Nothing is ever written over. The registry keeps its comments; where there is none
    yet, experiments/scenarios/registry.yaml is begun in this folder, with a copy of every
    scenario that comes with Saniwa.

    \b
    Example:
      saniwa scenario new my_story --language ja
    """
    from saniwa.scenario.addition import add_scenario
    from saniwa.wiring import project_registry
    from saniwa.wiring.writing.new_scenario import begin_registry

    begin_registry(scenario_id, registry)
    added = add_scenario(str(project_registry(registry)), scenario_id, language)
    if as_json:
        answer(added._asdict())
        return
    click.echo(printable(f"wrote {added.file} and named it in {added.registry}"))
    click.echo(f"check it: saniwa scenario check {scenario_id}")


@scenario.command()
@click.argument("named", metavar="ID|FILE")
@registry_option
@json_option
def summary(named: str, registry: str | None, as_json: bool) -> None:
    """Show what a scenario holds.

    \b
    Example:
      saniwa scenario summary lantern_island
    """
    from saniwa.scenario.load import load

    found = load(_source(named, registry))
    if as_json:
        answer(found.as_meta())
        return
    counts = found.summary.counts
    click.echo(click.style(printable(found.id), bold=True))
    for label, words in (
        ("about", str(found.document.get("description", ""))),
        ("places", f"{counts.locations}: {', '.join(found.summary.locations)}"),
        ("people", f"{counts.characters}: {', '.join(found.world.inventory)}"),
        (
            "things",
            f"{counts.objects}: {_first(found.summary.objects_top10, counts.objects)}",
        ),
        ("language", found.world.language),
        ("time", found.world.time.label),
        ("scenario", found.scenario_hash),
        ("world", found.world_hash),
    ):
        if words:
            click.echo(f"  {label:<9} {printable(words)}")


def _first(names: Sequence[str], count: int) -> str:
    more = f" (+{count - len(names)} more)" if count > len(names) else ""
    return ", ".join(names) + more


@scenario.command("hash")
@click.argument("named", metavar="ID|FILE")
@registry_option
@json_option
def hash_scenario(named: str, registry: str | None, as_json: bool) -> None:
    """Show the two hashes of a scenario: of its document and of its world.

    \b
    Example:
      saniwa scenario hash coffee_trap
    """
    from saniwa.scenario.load import load

    found = load(_source(named, registry))
    hashes = {"scenario_hash": found.scenario_hash, "world_hash": found.world_hash}
    if as_json:
        answer({"scenario_id": found.id, **hashes})
        return
    for name, value in hashes.items():
        click.echo(f"{name:<13} {value}")
