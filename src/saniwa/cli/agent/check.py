"""`saniwa agent check`: report every mistake in agents, without calling a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import (
    EXIT_ERROR,
    EXIT_FINDINGS,
    EXIT_OK,
    count_by_severity,
    format_count,
    format_tally,
    is_failure,
    print_json,
    show_finding,
)
from saniwa.core.findings import Finding
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.agent.files.loader import AgentReading

_UNREADABLE_CODES = ("CONFIG_NOT_FOUND", "DOCUMENT_UNREADABLE")


@click.command()
@click.argument("agents", nargs=-1, metavar="[NAME|FOLDER]...")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--quiet", is_flag=True, help="Show only what makes the check fail.")
@json_option
@click.pass_context
def check(
    ctx: click.Context, agents: tuple[str, ...], strict: bool, quiet: bool, as_json: bool
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
    from saniwa.agent.files.loader import read_agent_folder
    from saniwa.app.agent_catalog import find_agent, list_agents

    names = [str(find_agent(name)) for name in agents]
    names = names or [each.folder for each in list_agents()]
    read = {name: read_agent_folder(name) for name in names}
    found = [each for one in read.values() for each in one.report.findings]
    failed = any(is_failure(each, strict) for each in found)
    if as_json:
        print_json(_build_report(names, found, passed=not failed))
    else:
        _show_findings(read, strict=strict, quiet=quiet)
    if any(each.code in _UNREADABLE_CODES for each in found):
        ctx.exit(EXIT_ERROR)
    ctx.exit(EXIT_FINDINGS if failed else EXIT_OK)


def _build_report(
    names: Sequence[str], found: Sequence[Finding], *, passed: bool
) -> dict[str, Any]:
    return {
        "ok": passed,
        "status": "ok" if passed else "error",
        "agents": list(names),
        **count_by_severity(found),
        "findings": [each.to_document() for each in found],
    }


def _show_findings(read: "dict[str, AgentReading]", *, strict: bool, quiet: bool) -> None:
    shown = list[Finding]()
    for name, one in read.items():
        selected = [each for each in one.report.findings if not quiet or is_failure(each, strict)]
        for each in selected:
            show_finding(each, one.texts.get(each.where.file) or None)
            click.echo()
        shown += selected
        if not quiet and one.definition is not None and not selected:
            steps = format_count(len(one.definition.flow.steps), "step")
            click.echo(escape_control_characters(f"{_format_name(name)}: no findings ({steps})"))
    if shown and not quiet:
        click.echo(f"{format_tally(shown)} in {format_count(len(read), 'agent')}")


def _format_name(folder: str) -> str:
    """Return a shipped agent's name, or the folder of any other agent."""
    from saniwa.app.agent_catalog import locate_shipped_agents

    path = Path(folder)
    return path.name if path.parent == locate_shipped_agents() else folder
