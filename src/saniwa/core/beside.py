"""What lies beside a file that is not there: its name may only be misspelt."""

import os
from itertools import islice
from pathlib import Path
from typing import Final

from saniwa.core.near import nearest

MOST: Final = 1_000
"""Files of a folder that are looked at."""


def near_file(file: str) -> str:
    """A hint with the file of that kind in the same folder whose name is near, or none."""
    path = Path(file)
    try:
        with os.scandir(path.parent) as found:
            names = [Path(each.name) for each in islice(found, MOST)]
    except (OSError, ValueError):
        return ""  # where there is no folder, nothing is near
    # The ending alone would make any two files alike.
    near = nearest(path.stem, (n.stem for n in names if n.suffix == path.suffix))
    return f"did you mean {near + path.suffix!r}?" if near else ""
