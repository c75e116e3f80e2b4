"""`saniwa gate check`: every mistake in a process, at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.named import file_named, library_at
from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, STOPPED, answer, show_finding
from saniwa.cli.tally import counted, counts, tallied, tally
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.process.authoring.reading import Read


@click.command()
@click.argument("processes", nargs=-1, metavar="[ID|FILE]...")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--quiet", is_flag=True, help="Show only what makes the check fail.")
@dir_option
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    processes: tuple[str, ...],
    strict: bool,
    quiet: bool,
    place: str | None,
    as_json: bool,
) -> None:
    """Check processes and tell every mistake, with its place and cure.

    Without a name, every process there is. Leaves with 1 for errors (with --strict for
    warnings too), with 3 if a file cannot be read.

    \b
    Examples:
      saniwa gate check exploration
      saniwa gate check my_process.yaml --strict
    """
    from saniwa.process.authoring.reading import read_process

    names = processes or library_at(place).names()
    read = [read_process(file_named(name, place)) for name in names]
    found = [each for one in read for each in one.report.findings]
    failed = any(counts(each, strict) for each in found)
    if as_json:
        answer(_as_json(read, found, passed=not failed))
    else:
        _show(read, _counted(found, strict) if quiet else found, quiet=quiet)
    if any(each.code == "DOCUMENT_UNREADABLE" for each in found):
        ctx.exit(STOPPED)
    ctx.exit(FINDINGS if failed else FINE)


def _as_json(
    read: "Sequence[Read]", found: Sequence[Finding], *, passed: bool
) -> dict[str, Any]:
    return {
        "ok": passed,
        "status": "ok" if passed else "error",
        "files": [one.document.file for one in read],
        **tallied(found),
        "findings": [each.as_document() for each in found],
    }


def _counted(found: Sequence[Finding], strict: bool) -> list[Finding]:
    return [each for each in found if counts(each, strict)]


def _show(read: "Sequence[Read]", found: Sequence[Finding], *, quiet: bool) -> None:
    for one in read:
        for each in one.report.findings:
            if each in found:
                show_finding(each, one.document.text or None)
                click.echo()
        if quiet:
            continue
        if one.process is not None and not one.report.findings:
            size = (
                f"{counted(len(one.process.states), 'state')}, "
                f"{counted(len(one.process.transitions), 'transition')}"
            )
            click.echo(printable(f"{one.document.file}: no findings ({size})"))
    if found and not quiet:
        click.echo(f"{tally(found)} in {counted(len(read), 'file')}")
