"""Names in a row, written so that they can be read back: `a, b (+3 more)`, `(none)`."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from saniwa.agent.quotation import one_line
from saniwa.core.quoted import cut

NONE: Final = "(none)"
"""What stands for no names at all."""
MOST: Final = 12
"""Names that are written out."""
_LONGEST: Final = 60
_MORE: Final = re.compile(r"(?:(?<!\s)\s++)?\(\+\d++ more\)\s*$")


@lru_cache(maxsize=1024)
def flat(name: str) -> str:
    """A name as it stands in a row: one line, no markup, no comma of its own.

    Kept, because the same names are told turn after turn.
    """
    return cut(one_line(name).replace(",", "，"), _LONGEST)


def written(names: Iterable[str]) -> str:
    """The names in a row; of many the first, and how many more there are."""
    shown = [flat(name) for name in names]
    if not shown:
        return NONE
    more = len(shown) - MOST
    return ", ".join(shown[:MOST]) + (f" (+{more} more)" if more > 0 else "")


def read(row: str) -> tuple[str, ...]:
    """The names of a row again; those that were only counted are lost."""
    bare = _MORE.sub("", row.strip())
    if not bare or bare == NONE:
        return ()
    return tuple(name for part in bare.split(",") if (name := part.strip()))


def rows(pairs: Sequence[tuple[str, Iterable[str]]]) -> str:
    """Rows of names under their labels, one a line."""
    return "\n".join(f"{label}: {written(names)}" for label, names in pairs)
