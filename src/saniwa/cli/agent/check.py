"""`saniwa agent check`: report every mistake in agents, without calling a model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.cli.checks import (
    CheckedPart,
    exit_check,
    print_check,
    quiet_option,
    show_check,
    strict_option,
)
from saniwa.cli.options import json_option
from saniwa.cli.render import format_count

if TYPE_CHECKING:
    from saniwa.agent.files.loader import AgentReading

_UNREADABLE_CODES = ("CONFIG_NOT_FOUND", "DOCUMENT_UNREADABLE")


@click.command()
@click.argument("agents", nargs=-1, metavar="[NAME|FOLDER]...")
@strict_option
@quiet_option
@json_option
def check(agents: tuple[str, ...], strict: bool, quiet: bool, as_json: bool) -> None:
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
    if as_json:
        print_check(found, strict, agents=list(names))
    else:
        parts = [_describe_reading(name, one) for name, one in read.items()]
        show_check(parts, (len(read), "agent"), strict=strict, quiet=quiet)
    unreadable = any(each.code in _UNREADABLE_CODES for each in found)
    exit_check(found, strict, unreadable=unreadable)


def _describe_reading(folder: str, read: "AgentReading") -> CheckedPart:
    from saniwa.app.agent_catalog import locate_shipped_agents

    size = ""
    if read.definition is not None:
        size = format_count(len(read.definition.flow.steps), "step")
    path = Path(folder)
    name = path.name if path.parent == locate_shipped_agents() else folder
    return CheckedPart(name, read.report.findings, size, lambda file: read.texts.get(file) or None)
