"""Libraries that come with an extra: asked for before anything is begun."""

from importlib.util import find_spec

from saniwa.core.errors import SaniwaError


def need(
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
    missing = [package for package in packages if find_spec(package) is None]
    if not missing:
        return
    command = f"pip install 'saniwa[{extra}]'"
    raise kind(
        "EXTRA_MISSING",
        f"{what} {', '.join(missing)}, which is not installed",
        hint=f"{command}, or {otherwise}" if otherwise else command,
    )
