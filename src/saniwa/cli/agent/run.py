"""`saniwa agent run`: parse the options, run the agent, print its outcome."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.gate.access import dir_option
from saniwa.cli.model_options import ModelChoice, model_options
from saniwa.cli.options import UTF8_TEXT, add_option, json_option
from saniwa.cli.render import (
    EXIT_ERROR,
    EXIT_OK,
    EXIT_RETRY,
    exit_with,
    format_count,
    print_result,
    show_text,
)
from saniwa.core.path_checks import does_path_exist
from saniwa.core.suggestions import suggest_nearest

if TYPE_CHECKING:
    from typing import TextIO

    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.progress import AgentResult


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
    waiting = list(words)
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
        f"it has: {', '.join(sorted(options))}" if options else "it has no parameters"
    )
    return click.UsageError(f"agent {agent!r} knows no {option!r}; {hint}")


_MAX_INPUT_CHARS = 1_000_000
"""Characters of `--input` that are read at most."""


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("name", metavar="NAME|FOLDER")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[--PARAM VALUE]…")
@add_option("--run", "Work at this run of the gate.", "run", type=UTF8_TEXT)
@add_option("--process", "Begin a run of this process, and work at it.", type=UTF8_TEXT)
@add_option("--wait", "Wait for people instead of stopping.")
@add_option(
    "--resume [WHICH]",
    "Go on where it stopped: its id, a part of it, or last.",
    is_flag=False,
    flag_value="last",
)
@add_option(
    "--input",
    "What {input_text} stands for: a file, or - for standard input.",
    "source",
    type=click.File("r", encoding="utf-8"),
)
@add_option("--max-iterations", "Stop after these.", type=click.IntRange(min=1))
@add_option("--quiet", "Tell only what became of it.")
@model_options
@dir_option
@json_option
def run(
    name: str,
    arguments: tuple[str, ...],
    run: str | None,
    process: str | None,
    wait: bool,
    resume: str | None,
    source: "TextIO | None",
    max_iterations: int | None,
    quiet: bool,
    choice: ModelChoice,
    place: str | None,
    as_json: bool,
) -> None:
    """Run an agent until it is done, cannot go on, or must wait for somebody.

    Its parameters are options of their own, as its `agent.json` names them. What it does
    is told on standard error, what it said last and what became of it on standard output.
    Leaves with 0 when it is done, 4 when it can go on with --resume as it is, 3 when
    something has to be changed first.

    \b
    Examples:
      saniwa agent run guide --topic rain --model ollama:llama3.2
      saniwa agent run worker --process exploration --topic rain --model openai:gpt-5-mini
      saniwa agent run worker --run last --replay answers.jsonl
      saniwa agent run worker --resume --wait
    """
    import asyncio

    from saniwa.app.agent_catalog import open_agent
    from saniwa.cli.agent.agent_run import AgentJob, AgentPlacement

    choice.check()
    if run and process:
        raise click.UsageError("--run and --process name two runs; give one")
    definition = open_agent(name)
    given = parse_arguments(arguments, definition)
    if source is not None:
        given["input_text"] = source.read(_MAX_INPUT_CHARS)
    job = AgentJob(name, definition, choice, given, resume)
    try:
        result = asyncio.run(
            job.run_to_end(
                AgentPlacement(place, run, process, wait), max_iterations, quiet or as_json
            )
        )
    except KeyboardInterrupt:
        if does_path_exist(job.journal):
            show_text(f"\nstopped; {job.build_resume_hint()}", err=True)
        raise
    print_result(as_json, job.to_document(result), _format_result(result))
    if not as_json:
        show_text(f"journal: {job.journal}", err=True)
    again = result.error is not None and result.error.recoverable
    exit_with(EXIT_OK if result.success else EXIT_RETRY if again else EXIT_ERROR)


def _format_result(result: "AgentResult") -> Iterator[str]:
    last = result.summaries[-1] if result.summaries else None
    if last is not None and not last.detected_actions:
        for answer in last.assistant_responses:
            yield answer.strip()
    usage = result.usage
    spent = f"{format_count(usage.calls, 'call')}, "
    spent += format_count(usage.input_tokens + usage.output_tokens, "token")
    if usage.cost:
        spent += f", ${usage.cost / 1_000_000:.4f}"
    rounds = f"{format_count(result.total_iterations, 'iteration')}, {spent}"
    if result.success:
        yield f"done: {result.completion_reason} ({rounds})"
        return
    problem = result.error
    assert problem is not None, "what did not succeed has an error"
    yield f"not done: [{problem.code}] {problem.message} ({rounds})"
    if problem.hint:
        yield f"  hint: {problem.hint}"
