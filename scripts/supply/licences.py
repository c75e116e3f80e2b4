"""Writes the licence of every package: `licences.json` for programs, a page for people.

`make licences` runs this in the developers' environment, after the lock files have changed.
"""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from scripts.supply.known_licences import CLASSIFIED, SAID, SPDX, WRITTEN
from scripts.supply.licence_list import LicensedPackage, write_list
from scripts.supply.licence_page import render_page
from scripts.supply.locks import INK_LOCK, ROOT, NpmPackage, list_npm_parts, list_python_pins
from scripts.supply.requirements import find_reached, list_model_weights, read_requirements

PAGE = "docs/reference/licences.md"
"""The page for people."""
NOTICES = "src/saniwa/http/static/third-party.txt"
"""The packages in the web app, as its build listed them."""

_NOTICE = re.compile(r"^== (\S+) (\S+) \(", re.MULTILINE)


def find_python_licence(name: str) -> str:
    """The licence of a package, as an SPDX expression.

    Raises:
        ValueError: The metadata is unclear; the licence belongs in `known_licences.py`.
    """
    if name in WRITTEN:
        return WRITTEN[name]
    try:
        said = metadata(name)
    except PackageNotFoundError:
        raise ValueError(
            f"{name} is not installed: write its licence into known_licences.py"
        ) from None
    for key in ("License-Expression", "License"):
        plain = str((said.get_all(key) or [""])[0])
        if plain and (key == "License-Expression" or _is_spdx(plain)):
            return SAID.get(plain, plain)
    classes = {each.rpartition(" :: ")[2] for each in said.get_all("Classifier", [])}
    known = [CLASSIFIED[each] for each in sorted(classes & CLASSIFIED.keys())]
    if len(known) == 1:
        return known[0]
    raise ValueError(f"{name} has an unclear licence: write it into known_licences.py")


def _is_spdx(said: str) -> bool:
    words = re.split(r" (?:AND|OR) ", said)
    return said in SAID or all(word in SPDX for word in words)


def list_python_packages(root: Path = ROOT) -> list[LicensedPackage]:
    """Every Python package of the lock files."""
    whose = {who: find_reached(asked) for who, asked in read_requirements(root).items()}
    whose["(model)"] = list_model_weights(root)
    return [
        LicensedPackage(
            "pypi",
            pin.name,
            pin.version,
            find_python_licence(pin.name),
            [who for who, names in whose.items() if pin.name in names],
        )
        for pin in list_python_pins(root)
    ]


def list_npm_packages(root: Path = ROOT) -> list[LicensedPackage]:
    """Every npm package; those in the built page are marked."""
    within = list_bundled(root)
    reach: dict[NpmPackage, list[str]] = {}
    for part in list_npm_parts(root):
        inside = (part.name, part.version) in within
        reach[part] = ["page" if inside else "(page)"]
    for part in list_npm_parts(root, INK_LOCK):
        reach.setdefault(part, []).append("(strangers)")
    return [
        LicensedPackage("npm", part.name, part.version, part.licence, reach[part])
        for part in sorted(reach)
    ]


def list_bundled(root: Path = ROOT) -> set[tuple[str, str]]:
    """Names and versions of the packages in the built page."""
    found = _NOTICE.findall((root / NOTICES).read_text(encoding="utf-8"))
    return {(name, version) for name, version in found}


def write(root: Path = ROOT) -> None:
    """Write the list and the page."""
    found = list_python_packages(root) + list_npm_packages(root)
    write_list(found, root)
    (root / PAGE).write_text(render_page(found), encoding="utf-8")


if __name__ == "__main__":
    write()
