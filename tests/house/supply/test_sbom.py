"""The SBOM of Saniwa: valid, complete, and the same every time."""

import json
import tomllib
from pathlib import Path
from typing import Any

import cyclonedx.schema
import pytest
from jsonschema_rs import Registry, validator_for
from scripts.supply.licences import list_bundled
from scripts.supply.locks import list_python_pins
from scripts.supply.requirements import find_reached, read_requirements
from scripts.supply.sbom import build_full_sbom, build_wheel_sbom

from tests.house.pages import ROOT

_SCHEMAS = Path(cyclonedx.schema.__file__).parent / "_res"
_BESIDE = ("spdx", "jsf-0.82", "cryptography-defs")


def _load_schema(name: str) -> dict[str, Any]:
    text = (_SCHEMAS / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _refuse_address(address: str) -> Any:
    raise LookupError(address)


def _find_faults(document: str) -> list[str]:
    bom = _load_schema("bom-1.6")
    folder = bom["$id"].rpartition("/")[0]
    beside = [(f"{folder}/{each}.SNAPSHOT.schema.json", _load_schema(each)) for each in _BESIDE]
    registry = Registry(beside, retriever=_refuse_address)
    checker = validator_for(bom, registry=registry)
    return [each.message for each in checker.iter_errors(json.loads(document))]


@pytest.mark.parametrize("made", [build_full_sbom, build_wheel_sbom])
def test_it_is_what_the_schema_says(made: Any) -> None:
    """Both SBOMs fit the schema of CycloneDX."""
    assert [] == _find_faults(made())


def test_the_schema_would_notice() -> None:
    """A component of an unknown kind does not fit the schema."""
    broken = json.loads(build_wheel_sbom())
    broken["components"][0]["type"] = "gadget"

    assert [] != _find_faults(json.dumps(broken))


def test_it_says_the_same_every_time_and_names_no_time() -> None:
    """Building an SBOM again gives the same bytes, without a time or serial number."""
    assert build_full_sbom() == build_full_sbom()
    assert {"serialNumber", "timestamp"}.isdisjoint(_collect_keys(json.loads(build_full_sbom())))


def _collect_keys(value: Any) -> set[str]:
    inner = value.values() if isinstance(value, dict) else value
    own = set(value) if isinstance(value, dict) else set()
    deep = [_collect_keys(each) for each in inner if isinstance(each, dict | list)]
    return own.union(*deep)


def _list_names(document: str, kind: str) -> set[str]:
    parts = json.loads(document)["components"]
    return {p["name"] for p in parts if p["purl"].startswith(f"pkg:{kind}/")}


def test_everything_users_may_install_is_there() -> None:
    """The full SBOM has core, all extras and the parts of the page, and no developer tools."""
    users = {who for who in read_requirements() if not who.startswith("(")}
    coming = set().union(*(find_reached(read_requirements()[who]) for who in users))

    assert coming == _list_names(build_full_sbom(), "pypi")
    assert {name for name, _ in list_bundled()} == _list_names(build_full_sbom(), "npm")
    assert "pytest" not in coming


def test_the_wheel_declares_what_is_inside_it() -> None:
    """The wheel's SBOM has only the bundled npm packages; other packages are not in the wheel."""
    assert set() == _list_names(build_wheel_sbom(), "pypi")
    assert {name for name, _ in list_bundled()} == _list_names(build_wheel_sbom(), "npm")


def test_hashes_are_those_of_the_locks() -> None:
    """The hashes in the SBOM are those of the lock files."""
    locked = {(pin.name, pin.version): list(pin.hashes) for pin in list_python_pins()}
    for part in json.loads(build_full_sbom())["components"]:
        told = [each["content"] for each in part["hashes"]]
        if part["purl"].startswith("pkg:pypi/"):
            assert locked[part["name"], part["version"]] == told
        else:
            assert [128] == [len(each) for each in told]


def test_it_is_about_saniwa() -> None:
    """The SBOM's name, version and licence are those of pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    itself = json.loads(build_full_sbom())["metadata"]["component"]

    assert f"pkg:pypi/saniwa@{project['version']}" == itself["purl"]
    assert [{"expression": project["license"]}] == itself["licenses"]
