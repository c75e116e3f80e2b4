"""The libraries that do the reckoning: asked for by name before anything is begun."""

from importlib.util import find_spec
from typing import Final

from saniwa.core.errors import ConfigurationError

_NEEDED: Final = ("scipy", "statsmodels")


def check_installed() -> None:
    """Go on if the libraries are there; cheap, for they are not loaded.

    Raises:
        ConfigurationError: `EXTRA_MISSING`.
    """
    for package in _NEEDED:
        if find_spec(package) is None:
            raise ConfigurationError(
                "EXTRA_MISSING",
                f"statistics need the package {package!r}, which is not installed",
                hint="pip install 'saniwa[report]'",
            )
