"""The commands of `saniwa agent`: check, list, run, draw and migrate agents, list runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import click
from msgspec.structs import asdict

from saniwa.cli import render
from saniwa.cli.command_definition import ModelChoice, RunToResume, Utf8Text, define_command
from saniwa.cli.gate.options import GateOptions
from saniwa.core.path_checks import does_path_exist
from saniwa.core.suggestions import suggest_nearest

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.files.agent_folder import AgentReading
    from saniwa.agent.layer_contracts import AgentResult
    from saniwa.app.tool_call_questions import ToolQuestion


_UNREADABLE_CODES = ("CONFIG_NOT_FOUND", "DOCUMENT_UNREADABLE")


@define_command("agent check")
def check(agents: tuple[str, ...], strict: bool, quiet: bool, as_json: bool) -> None:
    """Check agents and report every problem, its location and how to fix it.

    Checks the definition, the flow and every prompt; no model is called. Then says of
    each program that an agent can run what its sandbox limits on this system, and what
    not. Without a name, checks every agent. Exits with status 1 if there are errors (with --strict also for
    warnings), and with status 3 if there is no agent to read.

    \b
    Examples:
      saniwa agent check character
      saniwa agent check .agent/guide --strict
    """
    from saniwa.agent.files.agent_folder import read_agent_folder
    from saniwa.agent.tools.commands import describe_sandboxes
    from saniwa.app.agent_lookup import find_agent, list_agents

    names = [str(find_agent(name)) for name in agents]
    names = names or [each.folder for each in list_agents()]
    read = {name: read_agent_folder(name) for name in names}
    found = [each for one in read.values() for each in one.report.findings]
    known = [each.definition for each in read.values() if each.definition is not None]
    programs = [line for each in known for line in describe_sandboxes(each.tools)]
    if as_json:
        render.print_check(found, strict, agents=names, programs=programs)
    else:
        parts = [_describe_reading(name, one) for name, one in read.items()]
        render.show_check(parts, (len(read), "agent"), strict=strict, quiet=quiet)
        for line in () if quiet else programs:
            render.show_text(f"  {line}")
    unreadable = any(each.code in _UNREADABLE_CODES for each in found)
    render.exit_check(found, strict, unreadable=unreadable)


def _describe_reading(folder: str, read: "AgentReading") -> render.CheckedPart:
    from saniwa.app.agent_lookup import locate_shipped_agents

    size = ""
    if read.definition is not None:
        size = render.format_count(len(read.definition.flow.steps), "step")
    path = Path(folder)
    name = path.name if path.parent == locate_shipped_agents() else folder
    return render.CheckedPart(
        name, read.report.findings, size, lambda file: read.texts.get(file) or None
    )


@define_command("agent graph")
def graph(*, agent: str, form: render.GraphFormat = "mermaid", output: str | None) -> None:
    """Draw the steps of an agent and what leads from one to the other.

    Each arrow is labelled with its condition. Gateways are marked with ◇ and sub-steps
    with a dot. Arrows to sub-steps, fallbacks, skips, escalations and returns are dashed.
    """
    from saniwa.agent.files.flow_graph import build_graph
    from saniwa.app.agent_lookup import open_agent

    render.write_graph(build_graph(open_agent(agent)), form, output)


@define_command("agent list")
def list(as_json: bool) -> None:
    """List the agents: the project's own in `.agent` and those included with Saniwa.

    \b
    Example:
      saniwa agent list
    """
    from saniwa.agent.files.agent_folder import read_agent
    from saniwa.app.agent_lookup import list_agents

    rows = []
    for each in list_agents():
        definition, report = read_agent(each.folder)
        about = definition.description if definition is not None else ""
        mistakes = len(report.errors)
        place = {"name": each.name, "folder": each.folder, "origin": each.origin}
        rows.append({**place, "description": about, "errors": mistakes})
    render.print_result(as_json, {"agents": rows}, map(_format_agent, rows))


def _format_agent(row: dict[str, Any]) -> str:
    about = " ".join(str(row["description"]).split())
    about = about or f"has errors: saniwa agent check {row['name']}"
    return f"{row['name']}  {row['origin']}  {about}"


@define_command("agent new")
def new(name: str, as_json: bool) -> None:
    """Create a small agent in `.agent` to start from.

    It passes `saniwa agent check` and runs with canned answers, without a model. Existing
    files are never overwritten.

    \b
    Example:
      saniwa agent new guide
    """
    from saniwa.agent.files.agent_folder import write_agent
    from saniwa.app.agent_lookup import PROJECT_AGENTS

    folder = PROJECT_AGENTS / name
    files = write_agent(name, folder)
    document = {"name": name, "folder": str(folder), "files": [str(path) for path in files]}
    lines = (f"wrote {folder}", f"check it: saniwa agent check {name}")
    render.print_result(as_json, document, lines)


@define_command("agent migrate")
def migrate(source: str, target: str | None, as_json: bool) -> None:
    """Convert an agent folder of climpt into a new folder and check the result.

    Copies prompts, and writes schemas into their steps. Lists what has no equivalent,
    each kind once. Exits with status 1 if the new agent still has errors.

    \b
    Example:
      saniwa agent migrate .agent/reviewer --to agents/reviewer
    """
    from saniwa.agent.files.agent_folder import read_agent_folder
    from saniwa.agent.files.climpt_agent_migration import migrate_agent_folder

    folder = Path(target or f"{source.rstrip('/')}-migrated")
    changes = migrate_agent_folder(source, folder)
    found = read_agent_folder(folder).report.findings
    if as_json:
        document = render.build_migration_document(changes, found)
        render.print_json({"folder": str(folder), **document})
    else:
        render.show_migration(changes, found)
        render.show_text(f"wrote {folder}: {render.format_tally(found)}")
    render.exit_check(found, strict=False, unreadable=False)


@define_command("agent runs")
def runs(name: str, as_json: bool) -> None:
    """List the runs of an agent, oldest first; --resume takes the id of any of them.

    \b
    Example:
      saniwa agent runs guide
    """
    from saniwa.app.agent_journals import locate_journals
    from saniwa.app.agent_lookup import open_agent

    folder = locate_journals(open_agent(name))
    listed = [_describe_run(path) for path in sorted(folder.glob("agent-*.jsonl"))]
    nothing = f"there are no runs; start one: saniwa agent run {name}"
    lines = [_format_run(each) for each in listed] or [nothing]
    render.print_result(as_json, {"agent": name, "runs": listed}, lines)


def _format_run(run: dict[str, Any]) -> str:
    line = f"{run['run']}  {render.format_count(run['iterations'], 'iteration')}  {run['became']}"
    return line + (f"  at {run['place']}" if run["place"] else "")


def _describe_run(path: Path) -> dict[str, Any]:
    from saniwa.app.agent_journals import load_journal
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


@define_command("agent questions")
def questions(as_json: bool) -> None:
    """List the tool calls that wait for a person's decision; any person may decide.

    \b
    Example:
      saniwa agent questions
    """
    from saniwa.app.tool_call_questions import ToolQuestions

    found = ToolQuestions().list_open()
    lines = [line for each in found for line in _format_question(each)]
    last = (
        "answer one: saniwa agent answer QUESTION run (or skip)"
        if found
        else "no agent waits for an answer"
    )
    render.print_result(as_json, {"questions": found}, [*lines, last])


def _format_question(question: "ToolQuestion") -> Iterator[str]:
    yield question.id
    for line in question.describe().splitlines():
        yield f"  {line}"


@define_command("agent answer")
def answer(
    question: str, decided: Literal["run", "skip"], reason: Utf8Text | None, options: GateOptions
) -> None:
    """Decide about a waiting tool call (people only).

    run lets the call run; skip does not, and gives the agent the reason. A call that may
    have run already is repeated by run, and counts as done with skip. The first answer
    counts, whether it is given here, on the web page or over MCP.

    \b
    Example:
      saniwa agent answer 5e884898da28047151d0e56f8dc62927 skip --reason "not before noon"
    """
    from saniwa.app.tool_call_questions import ToolQuestions, make_person_decision

    with options.connect_person() as connection:
        decision = make_person_decision(connection.gate.visitor, decided, reason or "")
    ToolQuestions().decide(question, decision)
    options.show({"question": question, **asdict(decision)}, [f"decided: {decided}"])


def parse_arguments(words: Sequence[str], definition: "AgentDefinition") -> dict[str, Any]:
    """Parse an agent's own options: `--origin Tokyo` or `--origin=Tokyo`.

    Repeated options of type array collect their values.

    Raises:
        click.UsageError: The agent has no such option, or its value is missing.
    """
    from saniwa.agent.files.parameters import name_option

    every = definition.parameters.items()
    options = {name_option(name, each): (name, each) for name, each in every}
    given: dict[str, Any] = {}
    waiting = [*words]  # `list` is a command here
    while waiting:
        word = waiting.pop(0)
        option, equals, value = word.partition("=")
        if option not in options:
            raise _make_unknown_option_error(word, options, definition.name)
        name, parameter = options[option]
        if parameter.type == "boolean" and not equals:
            given[name] = True
            continue
        if not equals:
            if not waiting:
                raise click.UsageError(f"{option} needs a value")
            value = waiting.pop(0)
        given[name] = [*given.get(name, []), value] if parameter.type == "array" else value
    return given


def _make_unknown_option_error(word: str, options: dict[str, Any], agent: str) -> click.UsageError:
    option = word.partition("=")[0]
    hint = suggest_nearest(option, options) or (
        f"it has: {', '.join(sorted(options))}" if options else "it takes no parameters"
    )
    return click.UsageError(f"agent {agent!r} has no option {option!r}; {hint}")


_MAX_INPUT_CHARS = 1_000_000
"""Characters of `--input` that are read at most."""


@define_command(
    "agent run", context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
def run(
    name: str,
    arguments: Annotated[tuple[str, ...], click.UNPROCESSED],
    run: Utf8Text | None,
    process: Utf8Text | None,
    wait: bool,
    resume: RunToResume,
    source: Annotated[TextIO | None, click.File("r", encoding="utf-8")],
    max_iterations: Annotated[int, click.IntRange(min=1)] | None,
    workspace: str | None,
    allowed_tools: tuple[Utf8Text, ...],
    interrupted: Literal["done", "again"] | None,
    quiet: bool,
    choice: ModelChoice,
    place: str | None,
    as_json: bool,
) -> None:
    """Run an agent until it is done, fails, or must wait for a person.

    The parameters in its `agent.json` become options of this command. Progress goes to
    standard error; the last answer and the result go to standard output. Exits with
    status 0 if the agent is done, 4 if --resume can continue it, and 3 if something must
    be changed first.

    \b
    Examples:
      saniwa agent run guide --topic rain --model ollama:llama3.2
      saniwa agent run worker --process exploration --topic rain --model openai:gpt-5-mini
      saniwa agent run worker --run last --replay answers.jsonl
      saniwa agent run worker --resume --wait
    """
    import asyncio

    from saniwa.app.agent_lookup import open_agent
    from saniwa.cli.agent_run import AgentJob, AgentPlacement

    choice.check()
    if run and process:
        raise click.UsageError("--run and --process exclude each other; give one of them")
    definition = open_agent(name)
    given = parse_arguments(arguments, definition)
    if source is not None:
        given["input_text"] = source.read(_MAX_INPUT_CHARS)
    job = AgentJob(name, definition, choice, given, resume)
    try:
        result = asyncio.run(
            job.run_to_end(
                AgentPlacement(place, run, process, wait, workspace, allowed_tools, interrupted),
                max_iterations,
                quiet or as_json,
            )
        )
    except KeyboardInterrupt:
        if does_path_exist(job.journal):
            render.show_text(f"\nstopped; {job.build_resume_hint()}", err=True)
        raise
    render.print_result(as_json, job.to_document(result), _format_result(result))
    if not as_json:
        render.show_text(f"journal: {job.journal}", err=True)
    again = result.error is not None and result.error.recoverable
    render.exit_with(
        render.EXIT_OK if result.success else render.EXIT_RETRY if again else render.EXIT_ERROR
    )


def _format_result(result: "AgentResult") -> Iterator[str]:
    last = result.summaries[-1] if result.summaries else None
    # An answer that no step has accepted, such as one that was cut off, is in the journal only.
    if result.success and last is not None and not last.detected_actions:
        for answer in last.assistant_responses:
            yield answer.strip()
    usage = result.usage
    spent = f"{render.format_count(usage.calls, 'call')}, "
    spent += render.format_count(usage.input_tokens + usage.output_tokens, "token")
    if usage.cost:
        spent += f", ${usage.cost / 1_000_000:.4f}"
    rounds = f"{render.format_count(result.total_iterations, 'iteration')}, {spent}"
    if result.success:
        yield f"done: {result.completion_reason} ({rounds})"
        return
    problem = result.error
    assert problem is not None, "what did not succeed has an error"
    yield f"not done[{problem.code}]: {problem.message} ({rounds})"
    if problem.hint:
        yield f"  hint: {problem.hint}"
