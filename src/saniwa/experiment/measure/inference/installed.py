"""The libraries that do the reckoning: asked for by name before anything is begun."""

from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need


def check_installed() -> None:
    """Go on if the libraries are there; cheap, for they are not loaded.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    need(
        "scipy",
        "statsmodels",
        extra="report",
        what="statistics need",
        kind=ExperimentError,
    )
