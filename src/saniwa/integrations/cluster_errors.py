"""The errors of a cluster, with hints; also checks that Dask is installed."""

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages


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
