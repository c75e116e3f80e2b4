"""`saniwa agent check`: every mistake in an agent, at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, STOPPED, answer, show_finding
from saniwa.cli.tally import counted, counts, tallied, tally
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.agent.authoring.reading import Read

_UNREAD = ("CONFIG_NOT_FOUND", "DOCUMENT_UNREADABLE")


@click.command()
@click.argument("agents", nargs=-1, metavar="[NAME|FOLDER]...")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--quiet", is_flag=True, help="Show only what makes the check fail.")
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    agents: tuple[str, ...],
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Check agents and tell every mistake, with its place and cure.

    Looks at the definition, the flow and every prompt; no model is asked. Without a
    name, every agent there is. Leaves with 1 for errors (with --strict for warnings
    too), with 3 if there is no agent to read.

    \b
    Examples:
      saniwa agent check character
      saniwa agent check .agent/guide --strict
    """
    from saniwa.agent.authoring.reading import read_folder
    from saniwa.wiring.agents import agents_known, find_agent

    names = [str(find_agent(name)) for name in agents]
    names = names or [each.folder for each in agents_known()]
    read = {name: read_folder(name) for name in names}
    found = [each for one in read.values() for each in one.report.findings]
    failed = any(counts(each, strict) for each in found)
    if as_json:
        answer(_as_json(names, found, passed=not failed))
    else:
        _show(read, strict=strict, quiet=quiet)
    if any(each.code in _UNREAD for each in found):
        ctx.exit(STOPPED)
    ctx.exit(FINDINGS if failed else FINE)


def _as_json(
    names: Sequence[str], found: Sequence[Finding], *, passed: bool
) -> dict[str, Any]:
    return {
        "ok": passed,
        "status": "ok" if passed else "error",
        "agents": list(names),
        **tallied(found),
        "findings": [each.as_document() for each in found],
    }


def _show(read: "dict[str, Read]", *, strict: bool, quiet: bool) -> None:
    shown = list[Finding]()
    for name, one in read.items():
        told = [
            each for each in one.report.findings if not quiet or counts(each, strict)
        ]
        for each in told:
            show_finding(each, one.texts.get(each.where.file) or None)
            click.echo()
        shown += told
        if not quiet and one.definition is not None and not told:
            steps = counted(len(one.definition.flow.steps), "step")
            click.echo(printable(f"{_called(name)}: no findings ({steps})"))
    if shown and not quiet:
        click.echo(f"{tally(shown)} in {counted(len(read), 'agent')}")


def _called(folder: str) -> str:
    """How somebody here would name the folder: a shipped agent has a name, and no place."""
    from saniwa.wiring.agents import shipped_agents

    path = Path(folder)
    return path.name if path.parent == shipped_agents() else folder
