"""Options for how an experiment is run; none of them changes its plan.

Also opens the experiment that a command names.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from saniwa.cli.command_definition import CostLimit, CountLimit

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentLimits
    from saniwa.app.experiments.experiment_resources import Concurrency
    from saniwa.app.experiments.folder import Experiment
    from saniwa.experiment.ports import OutcomeStore


class ExecutionOptions(NamedTuple):
    """How an experiment is run."""

    jobs: Annotated[int, click.IntRange(1, 256)] = 1
    """Cells played concurrently in this process."""
    workers: Annotated[int | None, click.IntRange(1, 1024)] = None
    """Worker processes on this machine; None uses only this process."""
    cluster: str | None = None
    """The address of a cluster's scheduler."""
    store: str | None = None
    """Where finished cells are stored, if not in the experiment's folder."""
    replay: str | None = None
    """The experiment whose recordings replace the models."""
    max_calls: CountLimit = None
    """Maximum number of model calls."""
    max_tokens: CountLimit = None
    """Maximum number of input and output tokens together."""
    max_cost: CostLimit = None
    """Maximum cost in US dollars."""
    no_report: bool = False
    """Whether the report is left out."""
    gate: bool = False
    """Whether plan, results and report are submitted to the gate."""
    sign: bool = False
    """Whether a person vouches for the answers of models while they arrive."""
    credential_file: str | None = None
    """The file with that person's credential."""

    def check(self) -> None:
        """Check that the options can be combined.

        Raises:
            click.UsageError: They cannot.
        """
        if self.cluster and self.workers:
            raise click.UsageError("--cluster has its own workers; remove --workers")
        if self.is_distributed and self.jobs > 1:
            raise click.UsageError(
                "--jobs applies to this process only; remove --jobs or --workers"
            )
        if self.is_distributed and self.has_limits:
            raise click.UsageError(
                "limits apply within one process: remove --max-calls, --max-tokens "
                "and --max-cost, or --workers and --cluster"
            )
        if self.cluster and not self.store:
            raise click.UsageError(
                "workers of --cluster need a store that all of them can reach: add "
                "--store postgresql://… or --store FOLDER"
            )
        if self.gate and self.no_report:
            raise click.UsageError("--gate needs the report; remove --no-report")
        if self.credential_file is not None and not self.sign:
            raise click.UsageError("--credential-file is for --sign; add --sign")
        if self.sign and self.replay:
            raise click.UsageError("--sign is for answers of models; remove --replay")

    @property
    def is_distributed(self) -> bool:
        """Whether other processes play the cells."""
        return bool(self.workers or self.cluster)

    @property
    def has_limits(self) -> bool:
        """Whether there is a spending limit."""
        ceilings = (self.max_calls, self.max_tokens, self.max_cost)
        return any(each is not None for each in ceilings)

    @property
    def concurrency(self) -> "Concurrency":
        """The concurrency, as the executors take it."""
        from saniwa.app.experiments.experiment_resources import Concurrency

        return Concurrency(self.jobs, self.workers or 0, self.cluster or "", self.limits)

    @property
    def limits(self) -> "AgentLimits":
        """The spending limits."""
        from saniwa.agent.definition import AgentLimits

        return AgentLimits(
            max_calls=self.max_calls, max_tokens=self.max_tokens, max_cost=self.max_cost
        )


@contextmanager
def open_experiment_store(
    named: str, output: str, store: str | None = None
) -> Iterator["tuple[Experiment, OutcomeStore]"]:
    """Open the named experiment and the store of its outcomes for the block.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: The store cannot be opened.
    """
    from saniwa.app.experiments.experiment_resources import open_experiment_outcomes
    from saniwa.app.experiments.folder import find_experiment, find_finished_namesake
    from saniwa.cli.render import show_text

    experiment = find_experiment(named, output)
    finished = None if store else find_finished_namesake(experiment, output)
    if finished is not None and named != str(experiment.folder):
        done = f"{experiment.done_count} of {experiment.cell_count} cells"
        show_text(
            f"note: {named} is {experiment.folder}, which is not finished ({done}); "
            f"finished is {finished}: give that folder if you mean it",
            err=True,
        )
    with closing(open_experiment_outcomes(experiment, store)) as outcomes:
        yield experiment, outcomes
