"""Colours by name: a plot is drawn with stand-ins for them, which the page fills in."""

from typing import Final

SERIES: Final = 8
"""Colours that tell series apart."""
INK: Final = "#000001"
"""Letters and axes."""
FAINT: Final = "#000002"
"""Lines of a grid."""
PAPER: Final = "#000003"
"""What lies below."""
_FIRST: Final = 16
CLASSES: Final[dict[str, str]] = {
    INK: "ink",
    FAINT: "faint",
    PAPER: "paper",
    **{f"#0000{_FIRST + nth:02x}": f"k{nth + 1}" for nth in range(SERIES)},
}
"""The class that stands for each; the page's style says what it looks like."""


def series(nth: int) -> str:
    """The colour of a series; after the last comes the first again."""
    return f"#0000{_FIRST + nth % SERIES:02x}"


def series_class(nth: int) -> str:
    """The class of the same colour."""
    return CLASSES[series(nth)]
