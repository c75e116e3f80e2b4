"""Declares what Saniwa is made of, as a CycloneDX document, from the locks alone.

`make sbom` writes everything a user may install into dist/; the wheel carries the smaller
one of what is inside it (`scripts/hatch_build.py`). Neither has a time or a serial number,
so the same locks give the same bytes. Only the standard library is used: a wheel is also
packed where nothing else is.
"""

import base64
import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scripts.supply.licensed import Licensed, read_list
from scripts.supply.locks import ROOT, npm_parts, python_pins

FOLDER = "dist"
"""Where the document is written."""

_Hashes = dict[tuple[str, str, str], list[dict[str, str]]]


def whole(root: Path = ROOT) -> str:
    """The document of everything users may install, and of what is in the page."""
    return _document(root, [each for each in read_list(root) if each.users])


def packed(root: Path = ROOT) -> str:
    """The document of what is in the wheel itself: Saniwa, and what its page is made of."""
    return _document(root, [each for each in read_list(root) if "page" in each.reach])


def _document(root: Path, parts: list[Licensed]) -> str:
    itself = _itself(root)
    hashes = _hashes(root)
    close = {_address(each) for each in parts if _for_all(each)}
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"lifecycles": [{"phase": "build"}], "component": itself},
        "components": [_component(each, hashes) for each in parts],
        "dependencies": [{"ref": itself["bom-ref"], "dependsOn": sorted(close)}],
    }
    return json.dumps(document, indent=1) + "\n"


def _itself(root: Path) -> dict[str, Any]:
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


def _for_all(part: Licensed) -> bool:
    """Whether everybody gets it, and not only those who ask for an extra."""
    return not {"core", "page"}.isdisjoint(part.reach)


def _component(part: Licensed, hashes: _Hashes) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": _address(part),
        "name": part.name,
        "version": part.version,
        "scope": "required" if _for_all(part) else "optional",
        "hashes": hashes[part.kind, part.name, part.version],
        "licenses": [{"expression": part.licence}],
        "purl": _address(part),
        "properties": [{"name": "saniwa:comes-with", "value": who} for who in part.users],
    }


def _address(part: Licensed) -> str:
    name = quote(part.name, safe="/")
    return f"pkg:{part.kind}/{name}@{quote(part.version, safe='')}"


def _hashes(root: Path) -> _Hashes:
    found: _Hashes = {
        ("pypi", pin.name, pin.version): [
            {"alg": "SHA-256", "content": each} for each in pin.hashes
        ]
        for pin in python_pins(root)
    }
    for part in npm_parts(root):
        _, _, digest = part.integrity.partition("sha512-")
        content = base64.b64decode(digest, validate=True).hex()
        found["npm", part.name, part.version] = [{"alg": "SHA-512", "content": content}]
    return found


def write(root: Path = ROOT) -> Path:
    """Write the whole document into dist/."""
    itself = _itself(root)
    file = root / FOLDER / f"{itself['name']}-{itself['version']}.cdx.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(whole(root), encoding="utf-8")
    return file


if __name__ == "__main__":
    print(write().relative_to(ROOT))
