"""Run an experiment from the command line; also `saniwa experiment replay`.

Checks prerequisites, shows progress, writes results, and prints how to resume after
an interruption. The experiment itself is run by `saniwa.app.experiments`.
"""

import asyncio
import shlex
from contextlib import closing, suppress
from typing import NamedTuple

import click
import msgspec

from saniwa.app.experiment_agent_work import AgentWorkPlayer
from saniwa.app.experiment_gate_evidence import ExperimentSubmitter
from saniwa.app.experiment_start_and_resume import open_outcome_signer
from saniwa.app.experiments import experiment_run
from saniwa.app.experiments.cell_signatures import SignedOutcomeStore, sign_outcomes
from saniwa.app.experiments.experiment_resources import open_experiment_outcomes
from saniwa.app.experiments.experiment_run import ExperimentRun, check_report_libraries
from saniwa.app.experiments.folder import Experiment, create_experiment, find_unfinished_run
from saniwa.app.experiments.replay import ReplayReport, check_replay, find_cell, replay_cells
from saniwa.app.experiments.status import ExperimentStatus
from saniwa.cli.command_definition import define_command
from saniwa.cli.experiment.options import ExecutionOptions, open_experiment_store
from saniwa.cli.experiment.render import (
    ExperimentProgress,
    build_results_document,
    choose_exit_code,
    show_results,
)
from saniwa.cli.gate.options import get_credential
from saniwa.cli.render import (
    EXIT_RETRY,
    exit_passed,
    exit_with,
    format_count,
    print_json,
    show_text,
)
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.text import truncate
from saniwa.experiment.plan import PreparedPlan


def execute_experiment(
    prepared: PreparedPlan,
    way: ExecutionOptions,
    recording: Experiment | None,
    *,
    as_json: bool,
    output: str = "",
    begun: Experiment | None = None,
) -> int:
    """Check everything, play the remaining cells, write and print the results.

    Returns the exit code.

    Args:
        prepared: The plan to run.
        way: The options of the command line.
        recording: The experiment whose recordings replace the models.
        as_json: Whether to print the results as JSON.
        output: The folder for experiments; a new one gets its own folder in it.
        begun: The experiment, if it is resumed: cells that ended with an error are
            played again.

    Raises:
        SaniwaError: It cannot start or continue; finished cells stay stored.
        KeyboardInterrupt: The user stopped it; the command to resume was printed.
    """
    if not way.no_report:
        check_report_libraries(otherwise="leave it out with --no-report")
    asyncio.run(
        experiment_run.check_prerequisites(
            prepared, way.concurrency, way.store, report=False, recording=recording, begun=begun
        )
    )
    if way.has_limits and prepared.plan.mode == "sim":
        message = "limits have no effect on stand-ins: they call no model"
        click.echo(f"warning: {message}", err=True)
    credential = get_credential(way.credential_file) if way.sign else None
    signer = open_outcome_signer(prepared, credential, way.concurrency) if way.sign else None
    if begun is None and not way.store:
        _report_unfinished_run(prepared, output, way)
    experiment = begun or create_experiment(prepared, output, SystemClock())
    with closing(open_experiment_outcomes(experiment, way.store)) as outcomes:
        signed = sign_outcomes(outcomes, experiment, signer)
        command = _CommandRun(
            ExperimentRun(experiment, signed, work=AgentWorkPlayer), way, recording, as_json
        )
        return command.execute(failed_again=begun is not None)


def _report_unfinished_run(prepared: PreparedPlan, output: str, way: ExecutionOptions) -> None:
    """Say that an earlier run of this plan could be continued; this one starts over."""
    earlier = find_unfinished_run(prepared, output)
    if earlier is not None:
        done = f"{earlier.done_count} of {format_count(earlier.cell_count, 'cell')}"
        _warn(
            f"note: an unfinished run of this plan has {done} in {earlier.folder}; this one "
            f"starts over; stop it with Ctrl-C and {build_resume_hint(earlier, way)}"
        )


class _CommandRun(NamedTuple):
    """A run that shows its progress and its results on the terminal."""

    run: ExperimentRun
    way: ExecutionOptions
    recording: Experiment | None
    as_json: bool

    def execute(self, *, failed_again: bool) -> int:
        """Play, write and print; return the exit code."""
        experiment = self.run.experiment
        try:
            gate = self._open_gate()
            if failed_again and self.recording is None:
                self._reopen_failed(gate)
            self._play_cells()
            if not self.run.is_complete:
                self.run.write_times()
                return self._report_remaining()
            written = self._write_results(gate)
            self._report_signatures()
        except BaseException:
            # Whatever stopped it, it can be resumed from the stored cells.
            with suppress(StoreError):  # losing the times matters less than the error
                self.run.write_times()
            _warn(f"stopped; {build_resume_hint(experiment, self.way)}")
            raise
        if self.as_json:
            print_json({**build_results_document(experiment, written), "before": self.run.before})
        else:
            show_results(experiment, written)
        return choose_exit_code(experiment, written)

    def _open_gate(self) -> ExperimentSubmitter | None:
        """Open a gate run and submit the plan before the first cell, with `--gate`."""
        if not self.way.gate:
            return None

        submitter = ExperimentSubmitter()
        submitter.open_run(self.run.experiment.prepared, self.run.experiment.folder)
        return submitter

    def _reopen_failed(self, gate: ExperimentSubmitter | None) -> None:
        """Reopen failed cells, unless a gate already has their results as evidence."""
        if gate is not None and not gate.is_awaiting_results():
            return
        failed = self.run.reopen_failed()
        if failed and not self.as_json:
            is_are = "is" if failed == 1 else "are"
            _warn(f"{format_count(failed, 'cell')} that ended with an error {is_are} run again")

    def _play_cells(self) -> None:
        total, before = self.run.total, self.run.before
        if before and not self.as_json:
            where = ", in the store named by --store" if self.way.store else ""
            _warn(f"{before} of {format_count(total, 'cell')} done before{where}")
        if self.run.is_complete:
            return
        progress = ExperimentProgress(total, before, quiet=self.as_json)
        try:
            asyncio.run(self._show_cells(progress))
        finally:
            progress.finish()

    async def _show_cells(self, progress: ExperimentProgress) -> None:
        async def tick() -> None:
            while True:
                progress.tick()
                await asyncio.sleep(1)

        async with self.run.open_completions(
            self.way.concurrency, store=self.way.store, recording=self.recording
        ) as completions:
            ticking = asyncio.create_task(tick())
            try:
                async for done in completions:
                    progress.record_cell(done)
            finally:
                ticking.cancel()

    def _report_signatures(self) -> None:
        if not isinstance(self.run.outcome_store, SignedOutcomeStore) or self.as_json:
            return
        left = self.run.outcome_store.count_unsigned()
        claimed = f"; a gate takes the answers of {left} as claims" if left else ""
        _warn(f"{self.run.total - left} of {format_count(self.run.total, 'cell')} signed{claimed}")

    def _report_remaining(self) -> int:
        left = sum(1 for _ in self.run.iterate_remaining())
        experiment = self.run.experiment
        if self.as_json:
            print_json({"ok": False, "experiment": str(experiment.folder), "left": left})
        else:
            hint = build_resume_hint(experiment, self.way)
            _warn(f"{format_count(left, 'cell')} could not run now; {hint}")
        return EXIT_RETRY

    def _write_results(self, gate: ExperimentSubmitter | None) -> ExperimentStatus:
        experiment = self.run.experiment
        if gate is not None:
            # Outcomes that were changed by hand must not become evidence.
            asyncio.run(check_replay(experiment, self.run.outcome_store, AgentWorkPlayer))
        self.run.copy_to_folder(self.way.store)
        if not self.as_json:
            _warn(f"writing {'results' if self.way.no_report else 'results and report'}")
        written = self.run.write_results(report=not self.way.no_report)
        if gate is not None:
            gate.submit_results(experiment.folder)
            gate.submit_report(experiment.folder)
            _warn(gate.describe_next_step())
        return written


def _warn(message: str) -> None:
    show_text(message, err=True)


def build_resume_hint(experiment: Experiment, way: ExecutionOptions) -> str:
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
    words += ["--gate"] if way.gate else []
    words += ["--sign"] if way.sign else []
    words += ["--credential-file", way.credential_file] if way.credential_file else []
    return f"continue with: {shlex.join(words)}"


_MAX_DIFFERENCES_SHOWN = 10
_MAX_VALUE_CHARS = 400


@define_command("experiment replay")
def replay(
    *,
    named: str = "last",
    cell: str | None,
    output: str = "results",
    store: str | None,
    as_json: bool,
) -> None:
    """Replay an experiment, or one cell of it, from its recorded answers.

    Builds every prompt, reads every answer and judges every action again; stand-ins
    answer anew. Exits with status 0 if every attempt and turn matches the record, with 1
    if not (it shows the first difference of each cell), and with 4 if no cell is done.

    \b
    Example:
      saniwa experiment replay last
    """
    with open_experiment_store(named, output, store) as (experiment, outcomes):
        cells = None
        if cell is not None:
            cells = [find_cell(experiment.prepared.plan, cell)]
        found = asyncio.run(replay_cells(experiment, outcomes, cells, AgentWorkPlayer))
    if as_json:
        same = found.cells > 0 and not found.differences
        counts = {"same": same, "cells": found.cells}
        differences = [each._asdict() for each in found.differences]
        print_json({**counts, "turns": found.turns, "differences": differences})
    else:
        _show_replay(found)
    if not found.cells:
        exit_with(EXIT_RETRY)
    exit_passed(not found.differences)


def _show_replay(found: ReplayReport) -> None:
    if not found.cells:
        message = "no cell is done yet, so there is nothing to replay"
        click.echo(f"{message}; continue with: saniwa experiment resume", err=True)
        return
    if not found.differences:
        message = f"{format_count(found.cells, 'cell')}, {format_count(found.turns, 'turn')}"
        click.echo(f"{message}, every one the same.")
        return
    for each in found.differences[:_MAX_DIFFERENCES_SHOWN]:
        at = "it" if each.turn is None else f"turn {each.turn + 1}"
        show_text(f"{each.cell}: {at} differs.")
        for name in ("field", "recorded", "replayed"):
            shown = msgspec.json.encode(getattr(each, name)).decode()
            show_text(f"  {name}: {truncate(shown, _MAX_VALUE_CHARS)}")
    click.echo(f"{len(found.differences)} of {format_count(found.cells, 'cell')} differ.")
