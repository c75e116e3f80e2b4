"""Libraries that come with an extra: asked for before anything is begun."""

from importlib.util import find_spec
from typing import Final, TypeVar

from saniwa.core.errors import SaniwaError

_Kind = TypeVar("_Kind", bound=SaniwaError)

EXTRA_MISSING: Final = "EXTRA_MISSING"
"""The code of what lacks a package; it is made here alone."""


def require_packages(
    *packages: str,
    extra: str,
    what: str,
    otherwise: str = "",
    kind: type[SaniwaError] = SaniwaError,
) -> None:
    """Go on if the packages are there; cheap, for they are not loaded.

    Args:
        packages: The packages, by the names they are imported by.
        extra: The extra that brings them.
        what: What needs them, as the beginning of a sentence: "a report needs".
        otherwise: What can be done without them.
        kind: The family of the error, where somebody looks for it.

    Raises:
        SaniwaError: `EXTRA_MISSING`, with the command that installs them.
    """
    absent = [package for package in packages if find_spec(package) is None]
    if absent:
        raise make_missing_extra_error(
            *absent, extra=extra, what=what, otherwise=otherwise, kind=kind
        )


def make_missing_extra_error(
    *packages: str,
    extra: str,
    what: str,
    otherwise: str = "",
    kind: type[_Kind],
) -> _Kind:
    """The error for packages that are not there, for those who found out by loading them.

    What is said is what `require_packages` takes.
    """
    command = f"pip install 'saniwa[{extra}]'"
    *others, last = packages
    names = f"{', '.join(others)} and {last}" if others else last
    are = "are" if others else "is"
    return kind(
        EXTRA_MISSING,
        f"{what} {names}, which {are} not installed",
        hint=f"{command}, or {otherwise}" if otherwise else command,
    )
