"""An experiment carried out in front of somebody: progress, an end, a way to go on."""

import asyncio
import shlex
from contextlib import aclosing, closing, suppress
from typing import TYPE_CHECKING

import click

from saniwa.cli.experiment.asked.ways import Way
from saniwa.cli.experiment.told.ending import end_document, exit_code, tell_end
from saniwa.cli.experiment.told.progress import Progress
from saniwa.cli.render import TRY_AGAIN, answer
from saniwa.cli.tally import counted
from saniwa.core.errors import StoreError
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.experiment.ports import Shelf
    from saniwa.wiring.experiment.folder import Experiment
    from saniwa.wiring.experiment.gate import Gatekeeper
    from saniwa.wiring.experiment.undertaking import Undertaking, Written


def recorded_experiment(way: Way, output: str) -> "Experiment | None":
    """The experiment whose recordings answer; None where somebody is asked.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
    """
    from saniwa.wiring.experiment.folder import find_experiment

    return find_experiment(way.replay, output) if way.replay else None


def carry_out(
    experiment: "Experiment",
    way: Way,
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
    from saniwa.wiring.experiment.crew import open_shelf
    from saniwa.wiring.experiment.undertaking import Undertaking

    with closing(open_shelf(experiment, way.store)) as shelf:
        undertaking = Undertaking(experiment, shelf)
        try:
            gate = _gate(experiment, way)
            if failed_again and recording is None:
                _reopen_failed(undertaking, gate, quiet=as_json)
            _play(undertaking, shelf, way, recording, quiet=as_json)
            if not undertaking.complete:
                undertaking.keep_times()
                return _tell_left(undertaking, way, as_json=as_json)
            written = _written(undertaking, shelf, way, gate, quiet=as_json)
        except BaseException:
            # Whatever stopped it, what is kept can be gone on with.
            with suppress(StoreError):  # that the times are lost is the lesser trouble
                undertaking.keep_times()
            click.echo(printable(f"stopped; {how_to_go_on(experiment, way)}"), err=True)
            raise
    if as_json:
        answer({**end_document(experiment, written), "before": undertaking.before})
    else:
        tell_end(experiment, written)
    return exit_code(experiment, written)


def _reopen_failed(
    undertaking: "Undertaking", gate: "Gatekeeper | None", *, quiet: bool
) -> None:
    """Let failed cells be played again, unless a gate has their results as evidence."""
    if gate is not None and not gate.awaits_results():
        return
    failed = undertaking.reopen_failed()
    if failed and not quiet:
        is_are = "is" if failed == 1 else "are"
        told = (
            f"{counted(failed, 'cell')} that ended with an error {is_are} played again"
        )
        click.echo(told, err=True)


def _written(
    undertaking: "Undertaking",
    shelf: "Shelf",
    way: Way,
    gate: "Gatekeeper | None",
    *,
    quiet: bool,
) -> "Written":
    from saniwa.wiring.experiment.again import check_replayed
    from saniwa.wiring.experiment.crew import open_shelf

    experiment = undertaking.experiment
    if gate is not None:
        # What anybody has changed by hand is no evidence.
        asyncio.run(check_replayed(experiment, shelf))
    if way.store:
        with closing(open_shelf(experiment)) as own:
            undertaking.bring_home(own)
    if not quiet:
        what = "results" if way.no_report else "results and report"
        click.echo(f"writing {what}", err=True)
    written = undertaking.write(report=not way.no_report)
    if gate is not None:
        gate.submit_results(experiment.folder)
        gate.submit_report(experiment.folder)
        click.echo(printable(gate.next_step()), err=True)
    return written


def _gate(experiment: "Experiment", way: Way) -> "Gatekeeper | None":
    """Whoever brings the evidence to the gate; the plan is brought before the first cell.

    Raises:
        SaniwaError: The gate cannot be had, or refuses.
    """
    if not way.gate:
        return None
    from saniwa.wiring.experiment.gate import Gatekeeper

    keeper = Gatekeeper()
    keeper.open(experiment.prepared, experiment.folder)
    return keeper


def how_to_go_on(experiment: "Experiment", way: Way) -> str:
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


def _play(
    undertaking: "Undertaking",
    shelf: "Shelf",
    way: Way,
    recording: "Experiment | None",
    *,
    quiet: bool,
) -> None:
    total, before = undertaking.total, undertaking.before
    if before and not quiet:
        where = ", in the place that --store names" if way.store else ""
        told = f"{before} of {counted(total, 'cell')} done before{where}"
        click.echo(told, err=True)
    if undertaking.complete:
        return
    progress = Progress(total, before, quiet=quiet)
    try:
        asyncio.run(_worked(undertaking, shelf, way, recording, progress))
    finally:
        progress.end()


async def _worked(
    undertaking: "Undertaking",
    shelf: "Shelf",
    way: Way,
    recording: "Experiment | None",
    progress: Progress,
) -> None:
    from saniwa.wiring.experiment.crew import gathered

    experiment = undertaking.experiment
    async with (
        gathered(
            experiment, shelf, way.hands, store=way.store, recording=recording
        ) as crew,
        aclosing(undertaking.work(crew)) as coming,
    ):
        ticking = asyncio.create_task(_tick(progress))
        try:
            async for done in coming:
                progress.hear(done)
        finally:
            ticking.cancel()


async def _tick(progress: Progress) -> None:
    while True:
        progress.tick()
        await asyncio.sleep(1)


def _tell_left(undertaking: "Undertaking", way: Way, *, as_json: bool) -> int:
    left = sum(1 for _ in undertaking.left())
    experiment = undertaking.experiment
    if as_json:
        answer({"ok": False, "experiment": str(experiment.folder), "left": left})
    else:
        told = f"{counted(left, 'cell')} could not be done now"
        click.echo(printable(f"{told}; {how_to_go_on(experiment, way)}"), err=True)
    return TRY_AGAIN
