"""`saniwa agent run`: an agent at work, by itself or at a gate."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.agent.parameter import arguments_in
from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.words import WORDS
from saniwa.cli.models import ModelChoice, model_options
from saniwa.cli.options import json_option
from saniwa.cli.render import FINE, STOPPED, TRY_AGAIN, answer
from saniwa.cli.tally import counted
from saniwa.core.quoted import printable
from saniwa.core.there import is_there

if TYPE_CHECKING:
    from typing import TextIO

    from saniwa.agent.progress import AgentResult

_LONGEST_INPUT = 1_000_000
"""Letters of input that are read."""


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
@click.argument("name", metavar="NAME|FOLDER")
@click.argument(
    "arguments", nargs=-1, type=click.UNPROCESSED, metavar="[--PARAM VALUE]…"
)
@click.option("--run", "run", type=WORDS, help="Work at this run of the gate.")
@click.option(
    "--process", type=WORDS, help="Begin a run of this process, and work at it."
)
@click.option("--wait", is_flag=True, help="Wait for people instead of stopping.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value="last",
    metavar="[WHICH]",
    help="Go on where it stopped: its id, a part of it, or last.",
)
@click.option(
    "--input",
    "source",
    type=click.File("r", encoding="utf-8"),
    help="What {input_text} stands for: a file, or - for standard input.",
)
@click.option("--max-iterations", type=click.IntRange(min=1), help="Stop after these.")
@click.option("--quiet", is_flag=True, help="Tell only what became of it.")
@model_options
@dir_option
@json_option
@click.pass_context
def run(
    ctx: click.Context,
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

    from saniwa.cli.agent.job import Job, Place
    from saniwa.wiring.agents import open_agent

    choice.check()
    if run and process:
        raise click.UsageError("--run and --process name two runs; give one")
    definition = open_agent(name)
    given = arguments_in(arguments, definition)
    if source is not None:
        given["input_text"] = source.read(_LONGEST_INPUT)
    job = Job(name, definition, choice, given, resume)
    try:
        result = asyncio.run(
            job.work(Place(place, run, process, wait), max_iterations, quiet or as_json)
        )
    except KeyboardInterrupt:
        if is_there(job.journal):
            click.echo(printable(f"\nstopped; {job.again()}"), err=True)
        raise
    if as_json:
        answer(job.document(result))
    else:
        _tell(result)
        click.echo(printable(f"journal: {job.journal}"), err=True)
    ctx.exit(_code(result))


def _tell(result: "AgentResult") -> None:
    last = result.summaries[-1] if result.summaries else None
    if last is not None and not last.detected_actions:
        for said in last.assistant_responses:
            click.echo(printable(said.strip()))
    for line in _told(result):
        click.echo(printable(line))


def _told(result: "AgentResult") -> list[str]:
    usage = result.usage
    spent = f"{counted(usage.calls, 'call')}, "
    spent += counted(usage.input_tokens + usage.output_tokens, "token")
    if usage.cost:
        spent += f", ${usage.cost / 1_000_000:.4f}"
    rounds = f"{counted(result.total_iterations, 'iteration')}, {spent}"
    if result.success:
        return [f"done: {result.completion_reason} ({rounds})"]
    problem = result.error
    assert problem is not None, "what did not succeed has an error"
    lines = [f"not done: [{problem.code}] {problem.message} ({rounds})"]
    return [*lines, f"  hint: {problem.hint}"] if problem.hint else lines


def _code(result: "AgentResult") -> int:
    if result.success:
        return FINE
    again = result.error is not None and result.error.recoverable
    return TRY_AGAIN if again else STOPPED
