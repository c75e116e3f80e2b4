"""`saniwa agent check`, `list`, `runs`, `graph` and `new`: agents and their recorded runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import (
    CheckedPart,
    GraphFormat,
    exit_check,
    format_count,
    graph_options,
    print_check,
    print_result,
    quiet_option,
    show_check,
    strict_option,
    write_graph,
)

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
        print_check(found, strict, agents=names)
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


@click.command(epilog="\b\nExample:\n  saniwa agent graph guide --format svg -o guide.svg")
@click.argument("agent", metavar="NAME|FOLDER")
@graph_options
def graph(agent: str, form: GraphFormat, output: str | None) -> None:
    """Draw the steps of an agent and what leads from one to the other.

    Beside a way stands when it is taken. Gateways have a ◇ before their names and parts
    of other steps a dot; parts, fallbacks, skips, escalations and their way back are
    dashed.
    """
    from saniwa.agent.files.graph import build_graph
    from saniwa.app.agent_catalog import open_agent

    write_graph(build_graph(open_agent(agent)), form, output)


@click.command()
@json_option
def list(as_json: bool) -> None:
    """List the agents: the project's own below `.agent`, and those that come with Saniwa.

    \b
    Example:
      saniwa agent list
    """
    from saniwa.agent.files.loader import read_agent
    from saniwa.app.agent_catalog import list_agents

    rows = []
    for each in list_agents():
        definition, report = read_agent(each.folder)
        about = definition.description if definition is not None else ""
        mistakes = len(report.errors)
        place = {"name": each.name, "folder": each.folder, "origin": each.origin}
        rows.append({**place, "description": about, "errors": mistakes})
    print_result(as_json, {"agents": rows}, map(_format_agent, rows))


def _format_agent(row: dict[str, Any]) -> str:
    about = " ".join(str(row["description"]).split())
    about = about or f"cannot be used: saniwa agent check {row['name']}"
    return f"{row['name']}  {row['origin']}  {about}"


@click.command()
@click.argument("name")
@json_option
def new(name: str, as_json: bool) -> None:
    """Write a small agent of your own below `.agent`, to begin from.

    It checks without a finding and runs with canned answers, without a model. Nothing
    is ever written over.

    \b
    Example:
      saniwa agent new guide
    """
    from saniwa.agent.files.scaffold import write_agent
    from saniwa.app.agent_catalog import PROJECT_AGENTS

    folder = PROJECT_AGENTS / name
    files = write_agent(name, folder)
    document = {"name": name, "folder": str(folder), "files": [str(path) for path in files]}
    lines = (f"wrote {folder}", f"check it: saniwa agent check {name}")
    print_result(as_json, document, lines)


@click.command()
@click.argument("name", metavar="NAME|FOLDER")
@json_option
def runs(name: str, as_json: bool) -> None:
    """List the runs of an agent, oldest first: any of them can be named to --resume.

    \b
    Example:
      saniwa agent runs guide
    """
    from saniwa.app.agent_catalog import open_agent
    from saniwa.app.agents import locate_journals

    folder = locate_journals(open_agent(name))
    listed = [_describe_run(path) for path in sorted(folder.glob("agent-*.jsonl"))]
    nothing = f"no run is kept; begin one: saniwa agent run {name}"
    lines = [_format_run(each) for each in listed] or [nothing]
    print_result(as_json, {"agent": name, "runs": listed}, lines)


def _format_run(run: dict[str, Any]) -> str:
    line = f"{run['run']}  {format_count(run['iterations'], 'iteration')}  {run['became']}"
    return line + (f"  at {run['place']}" if run["place"] else "")


def _describe_run(path: Path) -> dict[str, Any]:
    from saniwa.app.agents import load_journal
    from saniwa.core.errors import StoreError

    try:
        story = load_journal(path)
    except StoreError as problem:
        outcome = {"iterations": 0, "became": str(problem.code), "place": ""}
        return {"run": path.stem, **outcome}
    return {
        "run": path.stem,
        "iterations": story.progress.iteration,
        "became": story.became,
        "place": story.about.get("run", ""),
    }
