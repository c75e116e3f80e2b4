"""`saniwa agent run`: an agent at work, by itself or at a gate."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.agent.parameter import arguments_in
from saniwa.cli.gate.door import dir_option, opened
from saniwa.cli.gate.words import WORDS
from saniwa.cli.models import ModelChoice, model_options
from saniwa.cli.options import json_option
from saniwa.cli.render import FINE, STOPPED, TRY_AGAIN, answer
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.looping.factory import Factory
    from saniwa.agent.looping.journal import Story
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
    is told on standard error, what became of it on standard output. Leaves with 0 when it
    is done, 3 when it cannot go on, 4 when it can be taken up again with --resume.

    \b
    Examples:
      saniwa agent run guide --origin Tokyo --model ollama:llama3.2
      saniwa agent run worker --process exploration --topic rain --model openai:gpt-5-mini
      saniwa agent run worker --run last --replay answers.jsonl
      saniwa agent run worker --resume --wait
    """
    import asyncio

    from saniwa.wiring.agents import open_agent

    choice.check()
    if run and process:
        raise click.UsageError("--run and --process name two runs; give one")
    definition = open_agent(name)
    given = arguments_in(arguments, definition)
    if source is not None:
        given["input_text"] = source.read(_LONGEST_INPUT)
    with ExitStack() as held:
        job = _Job(definition, choice, resume, as_json=as_json, quiet=quiet or as_json)
        job.find_journal()
        job.stand(held, place, run, process, wait=wait)
        result = asyncio.run(job.work(given, max_iterations))
    job.tell(result)
    ctx.exit(_code(result))


class _Job:
    """One agent, one playing."""

    def __init__(
        self,
        definition: "AgentDefinition",
        choice: ModelChoice,
        resume: str | None,
        *,
        as_json: bool,
        quiet: bool,
    ) -> None:
        self._definition = definition
        self._choice = choice
        self._resume = resume
        self._as_json, self._quiet = as_json, quiet
        self._parts: dict[str, Any] = {}
        self._story: Story | None = None
        self._path: Path | None = None

    def find_journal(self) -> None:
        """The journal that is carried on, or a new one."""
        from saniwa.core.ids import TimeOrderedIds
        from saniwa.wiring.journals import journal_named, journals_of, prune, story_in

        folder = journals_of(self._definition)
        if self._resume is not None:
            self._path = journal_named(folder, self._resume)
            self._story = story_in(self._path)
            return
        prune(folder, self._definition.logging.max_files - 1)
        self._parts["name"] = TimeOrderedIds().fresh("agent")
        self._path = folder / f"{self._parts['name']}.jsonl"

    def stand(
        self,
        held: ExitStack,
        place: str | None,
        run: str | None,
        process: str | None,
        *,
        wait: bool,
    ) -> None:
        """Take a place at a gate, if one is named, or was before."""
        from saniwa.wiring.working import gate_floor

        run = run or (self._story.place if self._story else "")
        if not run and not process:
            return
        gate, places = held.enter_context(opened(place, None))
        if process:
            run = gate.create_run(process).run_id
        found = opened_run(gate, run)
        self._parts["floor"] = gate_floor(gate, places, found, wait=wait)
        self._parts["place"] = found

    async def work(self, given: dict[str, Any], most: int | None) -> "AgentResult":
        """Run it to its end; Ctrl-C stops it cleanly."""
        from saniwa.agent.contract import BuildOptions, StartOptions
        from saniwa.cli.agent.telling import Teller
        from saniwa.wiring.journals import TextLog

        if self._story is not None:
            given = {**self._story.arguments, **given}
        options = BuildOptions(arguments=given, max_iterations=most)
        agent = self._factory().build(self._definition, options)
        agent.bell.on("*", Teller(quiet=self._quiet).hear)
        if self._definition.logging.format == "text":
            agent.bell.on("*", TextLog(self._journal.with_suffix(".log")).hear)
        await agent.start(StartOptions(resume=self._story is not None))
        try:
            return await agent.wait()
        finally:
            await agent.stop()

    @property
    def _journal(self) -> "Path":
        assert self._path is not None, "the journal is found first"
        return self._path

    def _factory(self) -> "Factory":
        from msgspec.structs import replace

        from saniwa.agent.bridges.metered import Meter
        from saniwa.agent.looping.factory import Factory
        from saniwa.agent.oracle import Usage
        from saniwa.wiring.journals import FileJournal
        from saniwa.wiring.model import open_bridge
        from saniwa.wiring.working import Post

        path = self._journal
        choice, story = self._choice, self._story
        spent = story.spent if story else Usage()

        def bridge(definition: "AgentDefinition") -> Any:
            asking = definition.asking
            if choice.model or choice.model_url:
                asking = replace(
                    asking, use=choice.model or "", url=choice.model_url or ""
                )
            return open_bridge(
                asking,
                record=choice.record,
                replay=choice.replay,
                limits=Meter(choice.within(definition.limits), spent=spent),
                folder=None if choice.model else definition.folder,
            )

        return Factory(
            bridge,
            journal=lambda _: FileJournal(path),
            notifier=Post(),
            **self._parts,
        )

    def tell(self, result: "AgentResult") -> None:
        """What became of it."""
        import msgspec

        if self._as_json:
            answer(
                {
                    "ok": result.success,
                    "journal": str(self._path),
                    "place": self._parts.get("place", ""),
                    **msgspec.to_builtins(result),
                }
            )
            return
        for line in _told(result):
            click.echo(printable(line))
        click.echo(printable(f"journal: {self._path}"), err=True)


def opened_run(gate: Any, run: str) -> str:
    """The id of the run somebody means."""
    from saniwa.wiring.gate import run_named

    return run_named(gate, run)


def _told(result: "AgentResult") -> list[str]:
    usage = result.usage
    spent = f"{usage.calls} calls, {usage.input_tokens + usage.output_tokens} tokens"
    if usage.cost:
        spent += f", ${usage.cost / 1_000_000:.4f}"
    rounds = f"{result.total_iterations} iterations, {spent}"
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
