"""A package and its licence, as in the list in the repository."""

import json
from pathlib import Path
from typing import NamedTuple

from scripts.supply.locks import ROOT

LIST = "scripts/supply/licences.json"
"""The path of the list."""


class LicensedPackage(NamedTuple):
    """A package and its licence."""

    kind: str
    """`pypi` or `npm`."""
    name: str
    """Its name."""
    version: str
    """Its version."""
    licence: str
    """An SPDX expression."""
    reach: list[str]
    """What installs it: `core`, an extra, `page`, or a dependency group in parentheses."""

    @property
    def users(self) -> list[str]:
        """The parts that bring it to users; empty for developers' tools."""
        return [who for who in self.reach if not who.startswith("(")]


def read_list(root: Path = ROOT) -> list[LicensedPackage]:
    """Read the list."""
    kept = json.loads((root / LIST).read_text(encoding="utf-8"))
    return [LicensedPackage(**each) for each in kept]


def write_list(found: list[LicensedPackage], root: Path = ROOT) -> None:
    """Write the list, one line per package."""
    lines = ",\n".join(json.dumps(each._asdict()) for each in found)
    (root / LIST).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
