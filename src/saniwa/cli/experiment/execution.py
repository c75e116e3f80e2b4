"""An experiment carried out in front of somebody: progress, an end, a way to go on."""

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
from saniwa.cli.render import (
    EXIT_FINDINGS,
    EXIT_OK,
    EXIT_RETRY,
    format_count,
    print_json,
)
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
    """See to libraries, workers, shelf and recording before anything is begun.

    Args:
        prepared: What is to be carried out.
        way: How.
        recording: The experiment whose recordings answer.
        begun: The experiment, where it is one that was begun before.

    Raises:
        SaniwaError: Something is missing.
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
        told = "ceilings change nothing where stand-ins play: they cost nothing"
        click.echo(escape_control_characters(f"warning: {told}"), err=True)


def _list_finished_cells(
    begun: "Experiment | None", way: ExecutionOptions
) -> tuple[str, ...]:
    from saniwa.app.experiments.executors import open_experiment_outcomes

    if begun is None:
        return ()
    with closing(open_experiment_outcomes(begun, way.store)) as shelf:
        return tuple(shelf.list_keys())


def find_recording(way: ExecutionOptions, output: str) -> "Experiment | None":
    """The experiment whose recordings answer; None where somebody is asked.

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
    """Play what is left, write everything, tell what came of it; the exit code.

    Args:
        experiment: What is carried out.
        way: How.
        recording: The experiment whose recordings answer.
        as_json: Whether the end is told for machines.
        failed_again: Whether cells that ended with an error are played again.

    Raises:
        SaniwaError: It cannot go on; what is kept stays kept.
        KeyboardInterrupt: Somebody stopped it; how to go on was said.
    """
    from saniwa.app.experiments.executors import open_experiment_outcomes
    from saniwa.app.experiments.run import ExperimentRun

    with closing(open_experiment_outcomes(experiment, way.store)) as shelf:
        undertaking = ExperimentRun(experiment, shelf)
        try:
            gate = _open_gate(experiment, way)
            if failed_again and recording is None:
                _reopen_failed(undertaking, gate, quiet=as_json)
            _play_cells(undertaking, shelf, way, recording, quiet=as_json)
            if not undertaking.is_complete:
                undertaking.write_times()
                return _report_remaining(undertaking, way, as_json=as_json)
            written = _write_results(undertaking, shelf, way, gate, quiet=as_json)
        except BaseException:
            # Whatever stopped it, what is kept can be gone on with.
            with suppress(StoreError):  # that the times are lost is the lesser trouble
                undertaking.write_times()
            click.echo(
                escape_control_characters(
                    f"stopped; {build_resume_hint(experiment, way)}"
                ),
                err=True,
            )
            raise
    if as_json:
        print_json(
            {
                **build_results_document(experiment, written),
                "before": undertaking.before,
            }
        )
    else:
        show_results(experiment, written)
    return choose_exit_code(experiment, written)


def _reopen_failed(
    undertaking: "ExperimentRun", gate: "Gatekeeper | None", *, quiet: bool
) -> None:
    """Let failed cells be played again, unless a gate has their results as evidence."""
    if gate is not None and not gate.is_awaiting_results():
        return
    failed = undertaking.reopen_failed()
    if failed and not quiet:
        is_are = "is" if failed == 1 else "are"
        told = f"{format_count(failed, 'cell')} that ended with an error {is_are} played again"
        click.echo(told, err=True)


def _write_results(
    undertaking: "ExperimentRun",
    shelf: "OutcomeStore",
    way: ExecutionOptions,
    gate: "Gatekeeper | None",
    *,
    quiet: bool,
) -> "WrittenResults":
    from saniwa.app.experiments.executors import open_experiment_outcomes
    from saniwa.app.experiments.replay import check_replay

    experiment = undertaking.experiment
    if gate is not None:
        # What anybody has changed by hand is no evidence.
        asyncio.run(check_replay(experiment, shelf))
    if way.store:
        with closing(open_experiment_outcomes(experiment)) as own:
            undertaking.copy_outcomes(own)
    if not quiet:
        what = "results" if way.no_report else "results and report"
        click.echo(f"writing {what}", err=True)
    written = undertaking.write_results(report=not way.no_report)
    if gate is not None:
        gate.submit_results(experiment.folder)
        gate.submit_report(experiment.folder)
        click.echo(escape_control_characters(gate.describe_next_step()), err=True)
    return written


def _open_gate(experiment: "Experiment", way: ExecutionOptions) -> "Gatekeeper | None":
    """Whoever brings the evidence to the gate; the plan is brought before the first cell.

    Raises:
        SaniwaError: The gate cannot be had, or refuses.
    """
    if not way.gate:
        return None
    from saniwa.app.experiments.gate import Gatekeeper

    keeper = Gatekeeper()
    keeper.open_run(experiment.prepared, experiment.folder)
    return keeper


def build_resume_hint(experiment: "Experiment", way: ExecutionOptions) -> str:
    """How an experiment is taken up again."""
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
    undertaking: "ExperimentRun",
    shelf: "OutcomeStore",
    way: ExecutionOptions,
    recording: "Experiment | None",
    *,
    quiet: bool,
) -> None:
    total, before = undertaking.total, undertaking.before
    if before and not quiet:
        where = ", in the place that --store names" if way.store else ""
        told = f"{before} of {format_count(total, 'cell')} done before{where}"
        click.echo(told, err=True)
    if undertaking.is_complete:
        return
    progress = ExperimentProgress(total, before, quiet=quiet)
    try:
        asyncio.run(_run_executor(undertaking, shelf, way, recording, progress))
    finally:
        progress.finish()


async def _run_executor(
    undertaking: "ExperimentRun",
    shelf: "OutcomeStore",
    way: ExecutionOptions,
    recording: "Experiment | None",
    progress: ExperimentProgress,
) -> None:
    from saniwa.app.experiments.executors import open_executor

    experiment = undertaking.experiment
    async with (
        open_executor(
            experiment, shelf, way.concurrency, store=way.store, recording=recording
        ) as crew,
        aclosing(undertaking.play_remaining(crew)) as coming,
    ):
        ticking = asyncio.create_task(_tick_progress(progress))
        try:
            async for done in coming:
                progress.record_cell(done)
        finally:
            ticking.cancel()


async def _tick_progress(progress: ExperimentProgress) -> None:
    while True:
        progress.tick()
        await asyncio.sleep(1)


def _report_remaining(
    undertaking: "ExperimentRun", way: ExecutionOptions, *, as_json: bool
) -> int:
    left = sum(1 for _ in undertaking.iterate_remaining())
    experiment = undertaking.experiment
    if as_json:
        print_json({"ok": False, "experiment": str(experiment.folder), "left": left})
    else:
        told = f"{format_count(left, 'cell')} could not be done now"
        click.echo(
            escape_control_characters(f"{told}; {build_resume_hint(experiment, way)}"),
            err=True,
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
    ctx: click.Context,
    named: str,
    cell: str | None,
    output: str,
    store: str | None,
    as_json: bool,
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

    with open_experiment_store(named, output, store) as (experiment, shelf):
        cells = None
        if cell is not None:
            cells = [find_cell(experiment.prepared.plan, cell)]
        found = asyncio.run(replay_cells(experiment, shelf, cells))
    if as_json:
        same = found.cells > 0 and not found.differences
        told = {"same": same, "cells": found.cells}
        parted = [each._asdict() for each in found.differences]
        print_json({**told, "turns": found.turns, "differences": parted})
    else:
        _show_replay(found)
    ctx.exit(_choose_replay_exit_code(found))


def _choose_replay_exit_code(found: "ReplayReport") -> int:
    if not found.cells:
        return EXIT_RETRY
    return EXIT_FINDINGS if found.differences else EXIT_OK


def _show_replay(found: "ReplayReport") -> None:
    if not found.cells:
        told = "nothing is done yet that could be played again"
        click.echo(f"{told}; go on with: saniwa experiment resume", err=True)
        return
    if not found.differences:
        told = (
            f"{format_count(found.cells, 'cell')}, {format_count(found.turns, 'turn')}"
        )
        click.echo(f"{told}, every one the same.")
        return
    for each in found.differences[:_MAX_DIFFERENCES_SHOWN]:
        at = "it" if each.turn is None else f"turn {each.turn + 1}"
        click.echo(escape_control_characters(f"{each.cell}: {at} differs."))
        for name in ("field", "recorded", "replayed"):
            shown = msgspec.json.encode(getattr(each, name)).decode()
            click.echo(
                escape_control_characters(
                    f"  {name}: {truncate(shown, _MAX_VALUE_CHARS)}"
                )
            )
    click.echo(
        f"{len(found.differences)} of {format_count(found.cells, 'cell')} differ."
    )
