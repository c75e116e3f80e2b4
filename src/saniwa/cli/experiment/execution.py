"""Run an experiment from the command line; also `saniwa experiment replay`.

Checks prerequisites, shows progress, writes results, and prints how to resume after
an interruption. The experiment itself is run by `saniwa.app.experiments`.
"""

import asyncio
import shlex
from contextlib import aclosing, closing, suppress
from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.experiment.options import (
    ExecutionOptions,
    cells_option,
    open_experiment_store,
    output_option,
)
from saniwa.cli.experiment.render import (
    ExperimentProgress,
    build_results_document,
    choose_exit_code,
    show_results,
)
from saniwa.cli.options import json_option
from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, EXIT_RETRY, format_count, print_json
from saniwa.core.errors import StoreError
from saniwa.core.text import escape_control_characters, truncate

if TYPE_CHECKING:
    from saniwa.app.experiments.folder import Experiment
    from saniwa.app.experiments.gate import Gatekeeper
    from saniwa.app.experiments.replay import ReplayReport
    from saniwa.app.experiments.run import ExperimentRun, WrittenResults
    from saniwa.experiment.plan import PreparedPlan
    from saniwa.experiment.ports import OutcomeStore


def check_prerequisites(
    prepared: "PreparedPlan",
    way: ExecutionOptions,
    recording: "Experiment | None",
    begun: "Experiment | None" = None,
) -> None:
    """Check libraries, workers, store, recording and cost before anything starts.

    Args:
        prepared: The plan to run.
        way: The options of the command line.
        recording: The experiment whose recordings replace the models.
        begun: The experiment, if it is resumed.

    Raises:
        SaniwaError: Something is missing, or the limits are too low for even one cell.
    """
    from saniwa.app.experiments import executors
    from saniwa.app.experiments.run import check_report_libraries

    if not way.no_report:
        check_report_libraries(otherwise="leave it out with --no-report")
    executors.check_concurrency(prepared, way.concurrency, way.store)
    if recording is not None:
        executors.check_recording(prepared, recording, _list_finished_cells(begun, way))
    else:
        asyncio.run(executors.check_worst_case(prepared, way.limits))
    if way.cluster:
        asyncio.run(executors.check_cluster(way.cluster))
    if way.has_limits and prepared.plan.mode == "sim":
        message = "ceilings change nothing where stand-ins play: they cost nothing"
        click.echo(escape_control_characters(f"warning: {message}"), err=True)


def _list_finished_cells(begun: "Experiment | None", way: ExecutionOptions) -> tuple[str, ...]:
    from saniwa.app.experiments.executors import open_experiment_outcomes

    if begun is None:
        return ()
    with closing(open_experiment_outcomes(begun, way.store)) as outcomes:
        return tuple(outcomes.list_keys())


def find_recording(way: ExecutionOptions, output: str) -> "Experiment | None":
    """Return the experiment that `--replay` names; None without that option.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
    """
    from saniwa.app.experiments.folder import find_experiment

    return find_experiment(way.replay, output) if way.replay else None


def execute_experiment(
    experiment: "Experiment",
    way: ExecutionOptions,
    recording: "Experiment | None",
    *,
    as_json: bool,
    failed_again: bool = False,
) -> int:
    """Play the remaining cells, write and print the results; return the exit code.

    Args:
        experiment: The experiment to run.
        way: The options of the command line.
        recording: The experiment whose recordings replace the models.
        as_json: Whether to print the results as JSON.
        failed_again: Whether cells that ended with an error are played again.

    Raises:
        SaniwaError: It cannot continue; finished cells stay stored.
        KeyboardInterrupt: The user stopped it; the command to resume was printed.
    """
    from saniwa.app.experiments.executors import open_experiment_outcomes
    from saniwa.app.experiments.run import ExperimentRun

    with closing(open_experiment_outcomes(experiment, way.store)) as outcomes:
        experiment_run = ExperimentRun(experiment, outcomes)
        try:
            gate = _open_gate(experiment, way)
            if failed_again and recording is None:
                _reopen_failed(experiment_run, gate, quiet=as_json)
            _play_cells(experiment_run, outcomes, way, recording, quiet=as_json)
            if not experiment_run.is_complete:
                experiment_run.write_times()
                return _report_remaining(experiment_run, way, as_json=as_json)
            written = _write_results(experiment_run, outcomes, way, gate, quiet=as_json)
        except BaseException:
            # Whatever stopped it, it can be resumed from the stored cells.
            with suppress(StoreError):  # losing the times matters less than the error
                experiment_run.write_times()
            click.echo(
                escape_control_characters(f"stopped; {build_resume_hint(experiment, way)}"),
                err=True,
            )
            raise
    if as_json:
        print_json({**build_results_document(experiment, written), "before": experiment_run.before})
    else:
        show_results(experiment, written)
    return choose_exit_code(experiment, written)


def _reopen_failed(
    experiment_run: "ExperimentRun", gate: "Gatekeeper | None", *, quiet: bool
) -> None:
    """Reopen failed cells, unless a gate already has their results as evidence."""
    if gate is not None and not gate.is_awaiting_results():
        return
    failed = experiment_run.reopen_failed()
    if failed and not quiet:
        is_are = "is" if failed == 1 else "are"
        message = f"{format_count(failed, 'cell')} that ended with an error {is_are} played again"
        click.echo(message, err=True)


def _write_results(
    experiment_run: "ExperimentRun",
    outcomes: "OutcomeStore",
    way: ExecutionOptions,
    gate: "Gatekeeper | None",
    *,
    quiet: bool,
) -> "WrittenResults":
    from saniwa.app.experiments.executors import open_experiment_outcomes
    from saniwa.app.experiments.replay import check_replay

    experiment = experiment_run.experiment
    if gate is not None:
        # Outcomes that were changed by hand must not become evidence.
        asyncio.run(check_replay(experiment, outcomes))
    if way.store:
        with closing(open_experiment_outcomes(experiment)) as own:
            experiment_run.copy_outcomes(own)
    if not quiet:
        what = "results" if way.no_report else "results and report"
        click.echo(f"writing {what}", err=True)
    written = experiment_run.write_results(report=not way.no_report)
    if gate is not None:
        gate.submit_results(experiment.folder)
        gate.submit_report(experiment.folder)
        click.echo(escape_control_characters(gate.describe_next_step()), err=True)
    return written


def _open_gate(experiment: "Experiment", way: ExecutionOptions) -> "Gatekeeper | None":
    """Open a gate run and submit the plan before the first cell; None without `--gate`.

    Raises:
        SaniwaError: The gate cannot be opened, or refuses.
    """
    if not way.gate:
        return None
    from saniwa.app.experiments.gate import Gatekeeper

    keeper = Gatekeeper()
    keeper.open_run(experiment.prepared, experiment.folder)
    return keeper


def build_resume_hint(experiment: "Experiment", way: ExecutionOptions) -> str:
    """Return the command that resumes the experiment.

    A store URL with credentials is replaced by a placeholder.
    """
    words = ["saniwa", "experiment", "resume", str(experiment.folder)]
    if way.store and "@" not in way.store:
        words += ["--store", way.store]
    elif way.store:
        words += ["--store", "WHERE"]
    if way.replay:
        words += ["--replay", way.replay]
    if way.gate:
        words += ["--gate"]
    return f"go on with: {shlex.join(words)}"


def _play_cells(
    experiment_run: "ExperimentRun",
    outcomes: "OutcomeStore",
    way: ExecutionOptions,
    recording: "Experiment | None",
    *,
    quiet: bool,
) -> None:
    total, before = experiment_run.total, experiment_run.before
    if before and not quiet:
        where = ", in the place that --store names" if way.store else ""
        message = f"{before} of {format_count(total, 'cell')} done before{where}"
        click.echo(message, err=True)
    if experiment_run.is_complete:
        return
    progress = ExperimentProgress(total, before, quiet=quiet)
    try:
        asyncio.run(_run_executor(experiment_run, outcomes, way, recording, progress))
    finally:
        progress.finish()


async def _run_executor(
    experiment_run: "ExperimentRun",
    outcomes: "OutcomeStore",
    way: ExecutionOptions,
    recording: "Experiment | None",
    progress: ExperimentProgress,
) -> None:
    from saniwa.app.experiments.executors import open_executor

    experiment = experiment_run.experiment
    async with (
        open_executor(
            experiment, outcomes, way.concurrency, store=way.store, recording=recording
        ) as executor,
        aclosing(experiment_run.play_remaining(executor)) as completions,
    ):
        ticking = asyncio.create_task(_tick_progress(progress))
        try:
            async for done in completions:
                progress.record_cell(done)
        finally:
            ticking.cancel()


async def _tick_progress(progress: ExperimentProgress) -> None:
    while True:
        progress.tick()
        await asyncio.sleep(1)


def _report_remaining(
    experiment_run: "ExperimentRun", way: ExecutionOptions, *, as_json: bool
) -> int:
    left = sum(1 for _ in experiment_run.iterate_remaining())
    experiment = experiment_run.experiment
    if as_json:
        print_json({"ok": False, "experiment": str(experiment.folder), "left": left})
    else:
        message = f"{format_count(left, 'cell')} could not be done now"
        click.echo(
            escape_control_characters(f"{message}; {build_resume_hint(experiment, way)}"), err=True
        )
    return EXIT_RETRY


_MAX_DIFFERENCES_SHOWN = 10
_MAX_VALUE_CHARS = 400


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.argument("cell", required=False, metavar="[CELL]")
@output_option
@cells_option
@json_option
@click.pass_context
def replay(
    ctx: click.Context, named: str, cell: str | None, output: str, store: str | None, as_json: bool
) -> None:
    """Play an experiment, or one cell of it, again from the answers that were kept.

    Prompts are made, words read and deeds judged once more; stand-ins are asked anew.
    Ends with 0 when everything comes out as it is kept, every attempt and every turn,
    with 1 when not, showing where each cell first differs, and with 4 when no cell is
    done yet.

    \b
    Example:
      saniwa experiment replay last
    """
    from saniwa.app.experiments.replay import find_cell, replay_cells

    with open_experiment_store(named, output, store) as (experiment, outcomes):
        cells = None
        if cell is not None:
            cells = [find_cell(experiment.prepared.plan, cell)]
        found = asyncio.run(replay_cells(experiment, outcomes, cells))
    if as_json:
        same = found.cells > 0 and not found.differences
        counts = {"same": same, "cells": found.cells}
        differences = [each._asdict() for each in found.differences]
        print_json({**counts, "turns": found.turns, "differences": differences})
    else:
        _show_replay(found)
    ctx.exit(_choose_replay_exit_code(found))


def _choose_replay_exit_code(found: "ReplayReport") -> int:
    if not found.cells:
        return EXIT_RETRY
    return EXIT_FINDINGS if found.differences else EXIT_OK


def _show_replay(found: "ReplayReport") -> None:
    if not found.cells:
        message = "nothing is done yet that could be played again"
        click.echo(f"{message}; go on with: saniwa experiment resume", err=True)
        return
    if not found.differences:
        message = f"{format_count(found.cells, 'cell')}, {format_count(found.turns, 'turn')}"
        click.echo(f"{message}, every one the same.")
        return
    for each in found.differences[:_MAX_DIFFERENCES_SHOWN]:
        at = "it" if each.turn is None else f"turn {each.turn + 1}"
        click.echo(escape_control_characters(f"{each.cell}: {at} differs."))
        for name in ("field", "recorded", "replayed"):
            shown = msgspec.json.encode(getattr(each, name)).decode()
            click.echo(escape_control_characters(f"  {name}: {truncate(shown, _MAX_VALUE_CHARS)}"))
    click.echo(f"{len(found.differences)} of {format_count(found.cells, 'cell')} differ.")
