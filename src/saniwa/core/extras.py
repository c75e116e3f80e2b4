"""Optional libraries: checked before the work that needs them begins."""

from importlib.util import find_spec
from typing import Final, TypeVar

from saniwa.core.errors import SaniwaError

_Kind = TypeVar("_Kind", bound=SaniwaError)

EXTRA_MISSING: Final = "EXTRA_MISSING"
"""The code of the error for a missing package; only this module uses it."""


def require_packages(
    *packages: str,
    extra: str,
    what: str,
    otherwise: str = "",
    kind: type[SaniwaError] = SaniwaError,
) -> None:
    """Check that the packages are installed; cheap, because none is imported.

    Args:
        packages: The names they are imported by.
        extra: The extra that installs them.
        what: What needs them, as the beginning of a sentence: "a report needs".
        otherwise: What the user can do without them.
        kind: The class of the error to raise.

    Raises:
        SaniwaError: `EXTRA_MISSING`, with the command that installs them.
    """
    absent = [package for package in packages if find_spec(package) is None]
    if absent:
        raise make_missing_extra_error(
            *absent, extra=extra, what=what, otherwise=otherwise, kind=kind
        )


def make_missing_extra_error(
    *packages: str, extra: str, what: str, otherwise: str = "", kind: type[_Kind]
) -> _Kind:
    """Build the error for packages whose import has failed.

    The arguments are those of `require_packages`.
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
