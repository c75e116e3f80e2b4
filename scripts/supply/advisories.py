"""Reads the answers about known vulnerabilities: what was found, and what could not be checked.

The audit programs may report "nothing found" when they could not check; here these are two
different results.
"""

import json
from typing import Any, NamedTuple


class Weakness(NamedTuple):
    """A known vulnerability of a package."""

    package: str
    """The package."""
    version: str
    """The version or versions that have it."""
    name: str
    """Its identifier in the database."""
    cure: str
    """What to do about it, as far as the database says."""


class AuditAnswer(NamedTuple):
    """The answer of one audit program."""

    asked: int
    """The number of packages that were checked."""
    found: tuple[Weakness, ...]
    """Their known vulnerabilities."""
    unasked: tuple[str, ...]
    """Why packages could not be checked, one reason per line."""


def from_pip_audit(text: str, trouble: str) -> AuditAnswer:
    """The JSON output of pip-audit; `trouble` is its standard error."""
    try:
        told = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return AuditAnswer(0, (), (_take_last_line(trouble),))
    asked = [each for each in told if "skip_reason" not in each]
    found = [_read_python_weakness(each, of) for each in asked for of in each["vulns"]]
    unasked = [each["skip_reason"] for each in told if "skip_reason" in each]
    return AuditAnswer(len(asked), tuple(found), tuple(unasked))


def from_npm(text: str, trouble: str) -> AuditAnswer:
    """The JSON output of `npm audit --json`, read the same way."""
    try:
        told = json.loads(text)
        total = told["metadata"]["dependencies"]["total"]
        weak = told["vulnerabilities"].items()
    except (ValueError, KeyError, TypeError):
        return AuditAnswer(0, (), (_read_npm_error(text) or _take_last_line(trouble),))
    found = [
        _read_npm_weakness(name, each, of)
        for name, each in weak
        for of in each["via"]
        if isinstance(of, dict)  # a plain name refers to another row
    ]
    return AuditAnswer(total, tuple(found), ())


def _read_python_weakness(package: dict[str, Any], of: dict[str, Any]) -> Weakness:
    fixed = ", ".join(of["fix_versions"])
    cure = f"fixed in {fixed}" if fixed else "no version without it is known"
    return Weakness(package["name"], package["version"], of["id"], cure)


def _read_npm_weakness(name: str, row: dict[str, Any], of: dict[str, Any]) -> Weakness:
    fixable = row["fixAvailable"] is not False
    cure = "npm audit fix knows a cure" if fixable else "npm knows no cure"
    return Weakness(name, of["range"], of["url"].rpartition("/")[2], cure)


def _read_npm_error(text: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return ""


def _take_last_line(trouble: str) -> str:
    lines = [line for line in trouble.split("\n") if line.strip()]
    return lines[-1] if lines else "it said nothing"
