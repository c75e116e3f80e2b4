"""What can keep a cluster from working, in words."""

from collections.abc import Mapping
from typing import Any

from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need
from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell


def need_dask() -> None:
    """Go on if Dask is installed.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    what = "many workers need"
    need("dask", "distributed", extra="cluster", what=what, kind=ExperimentError)


def unreachable(why: str) -> ExperimentError:
    """The error for a cluster that does not answer, or has nobody who works."""
    return ExperimentError(
        "CLUSTER_UNREACHABLE",
        f"the cluster cannot be used: {why}",
        hint="see whether its scheduler and workers run, then resume; finished cells "
        "are kept",
        recoverable=True,
    )


def unfit(why: str) -> ExperimentError:
    """The error for a worker that cannot play this plan as we would."""
    return ExperimentError(
        "CLUSTER_UNFIT",
        f"a worker of the cluster cannot play this plan: {why}",
        hint="install the same Saniwa, with the same extras, for every worker and here",
    )


def unstartable(why: str) -> ExperimentError:
    """The error for a local cluster that does not come up."""
    return ExperimentError(
        "CLUSTER_UNREACHABLE",
        f"the workers on this machine cannot be started: {why}",
        hint="a program that starts them does so below `if __name__ == '__main__':`; "
        "or work without them: leave the number of workers out",
    )


def stopped(document: Mapping[str, Any]) -> ExperimentError:
    """The error a worker met, raised again here."""
    return ExperimentError(
        document["code"],
        document["message"],
        hint=document["hint"],
        recoverable=document["recoverable"],
        details=document["details"],
    )


def deadly(cell: Cell) -> str:
    """What is said of a cell that no worker survives."""
    return (
        f"the cell {quoted(cell.key)} ended every worker that played it; "
        "play it alone, without workers, to see why"
    )
