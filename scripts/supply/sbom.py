"""Describes what Saniwa is made of, as a CycloneDX document, from the lock files alone.

`make sbom` writes everything a user may install into dist/; the wheel has a smaller document
of its own contents (`scripts/hatch_build.py`). Neither has a time or a serial number, so the
same lock files give the same bytes. Only the standard library is used, because a wheel is also
built where nothing else is installed.
"""

import base64
import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scripts.supply.licence_list import LicensedPackage, read_list
from scripts.supply.locks import ROOT, list_npm_parts, list_python_pins

FOLDER = "dist"
"""The folder of the document."""

_Hashes = dict[tuple[str, str, str], list[dict[str, str]]]


def build_full_sbom(root: Path = ROOT) -> str:
    """The document of everything users may install, and of the built page."""
    return _build_document(root, [each for each in read_list(root) if each.users])


def build_wheel_sbom(root: Path = ROOT) -> str:
    """The document of the wheel itself: Saniwa, and the packages in its page."""
    return _build_document(root, [each for each in read_list(root) if "page" in each.reach])


def _build_document(root: Path, parts: list[LicensedPackage]) -> str:
    itself = _describe_project(root)
    hashes = _read_hashes(root)
    close = {_make_purl(each) for each in parts if _is_for_all(each)}
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"lifecycles": [{"phase": "build"}], "component": itself},
        "components": [_make_component(each, hashes) for each in parts],
        "dependencies": [{"ref": itself["bom-ref"], "dependsOn": sorted(close)}],
    }
    return json.dumps(document, indent=1) + "\n"


def _describe_project(root: Path) -> dict[str, Any]:
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    address = f"pkg:pypi/{project['name']}@{project['version']}"
    return {
        "type": "application",
        "bom-ref": address,
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": address,
    }


def _is_for_all(part: LicensedPackage) -> bool:
    """Whether every installation has it, not only an extra."""
    return not {"core", "page"}.isdisjoint(part.reach)


def _make_component(part: LicensedPackage, hashes: _Hashes) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": _make_purl(part),
        "name": part.name,
        "version": part.version,
        "scope": "required" if _is_for_all(part) else "optional",
        "hashes": hashes[part.kind, part.name, part.version],
        "licenses": [{"expression": part.licence}],
        "purl": _make_purl(part),
        "properties": [{"name": "saniwa:comes-with", "value": who} for who in part.users],
    }


def _make_purl(part: LicensedPackage) -> str:
    name = quote(part.name, safe="/")
    return f"pkg:{part.kind}/{name}@{quote(part.version, safe='')}"


def _read_hashes(root: Path) -> _Hashes:
    found: _Hashes = {
        ("pypi", pin.name, pin.version): [
            {"alg": "SHA-256", "content": each} for each in pin.hashes
        ]
        for pin in list_python_pins(root)
    }
    for part in list_npm_parts(root):
        _, _, digest = part.integrity.partition("sha512-")
        content = base64.b64decode(digest, validate=True).hex()
        found["npm", part.name, part.version] = [{"alg": "SHA-512", "content": content}]
    return found


def write_sbom(root: Path = ROOT) -> Path:
    """Write the whole document into dist/."""
    itself = _describe_project(root)
    file = root / FOLDER / f"{itself['name']}-{itself['version']}.cdx.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(build_full_sbom(root), encoding="utf-8")
    return file


if __name__ == "__main__":
    print(write_sbom().relative_to(ROOT))
