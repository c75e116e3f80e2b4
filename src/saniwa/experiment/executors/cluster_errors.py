"""The errors of a cluster, with hints."""

from collections.abc import Mapping
from typing import Any

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.experiment.plan import ExperimentCell


def require_dask() -> None:
    """Check that Dask is installed.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    what = "many workers need"
    require_packages("dask", "distributed", extra="cluster", what=what, kind=ExperimentError)


def make_unreachable_error(why: str) -> ExperimentError:
    """Return the error for a cluster that does not answer or has no workers."""
    return ExperimentError(
        "CLUSTER_UNREACHABLE",
        f"the cluster cannot be used: {why}",
        hint="see whether its scheduler and workers run, then resume; finished cells are kept",
        recoverable=True,
    )


def make_unfit_error(why: str) -> ExperimentError:
    """Return the error for a worker that would not play this plan like this process."""
    return ExperimentError(
        "CLUSTER_UNFIT",
        f"a worker of the cluster cannot play this plan: {why}",
        hint="install the same Saniwa, with the same extras, for every worker and here",
    )


def make_start_error(why: str) -> ExperimentError:
    """Return the error for a local cluster that does not start."""
    return ExperimentError(
        "CLUSTER_UNREACHABLE",
        f"the workers on this machine cannot be started: {why}",
        hint="a program that starts them does so below `if __name__ == '__main__':`; "
        "or work without them: leave the number of workers out",
    )


def make_worker_error(document: Mapping[str, Any]) -> ExperimentError:
    """Return the error that a worker reported, to be raised here."""
    return ExperimentError(
        document["code"],
        document["message"],
        hint=document["hint"],
        recoverable=document["recoverable"],
        details=document["details"],
    )


def describe_fatal_cell(cell: ExperimentCell) -> str:
    """Return the message for a cell that kills every worker."""
    return (
        f"the cell {quote_value(cell.key)} ended every worker that played it; "
        "play it alone, without workers, to see why"
    )
