"""A package and its terms, as the list in the repository has them."""

import json
from pathlib import Path
from typing import NamedTuple

from scripts.supply.locks import ROOT

LIST = "scripts/supply/licences.json"
"""Where the list is kept."""


class LicensedPackage(NamedTuple):
    """A package and its terms."""

    kind: str
    """`pypi` or `npm`."""
    name: str
    """Its name."""
    version: str
    """Its version."""
    licence: str
    """An expression of SPDX."""
    reach: list[str]
    """Who gets it: `core`, an extra, `page`, or a group of developers in parentheses."""

    @property
    def users(self) -> list[str]:
        """With what it comes to users; empty for developers' tools."""
        return [who for who in self.reach if not who.startswith("(")]


def read_list(root: Path = ROOT) -> list[LicensedPackage]:
    """The list as it was written."""
    kept = json.loads((root / LIST).read_text(encoding="utf-8"))
    return [LicensedPackage(**each) for each in kept]


def write_list(found: list[LicensedPackage], root: Path = ROOT) -> None:
    """Write the list, a line a package."""
    lines = ",\n".join(json.dumps(each._asdict()) for each in found)
    (root / LIST).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
