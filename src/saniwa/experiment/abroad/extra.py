"""Libraries that come with an extra, asked for before they are loaded."""

from importlib.util import find_spec

from saniwa.core.errors import ExperimentError


def need(package: str, extra: str) -> None:
    """Go on if the package is there; cheap, for it is not loaded.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    if find_spec(package) is None:
        raise ExperimentError(
            "EXTRA_MISSING",
            f"this needs the package {package!r}, which is not installed",
            hint=f"pip install 'saniwa[{extra}]'",
        )
