"""Answers about known weaknesses, read: what was found, and what nobody could say.

The programs that ask say "nothing found" also where they could not ask; here that is a
thing of its own.
"""

import json
from typing import Any, NamedTuple


class Weakness(NamedTuple):
    """A known weakness of a package."""

    package: str
    """The package."""
    version: str
    """The version or versions that have it."""
    name: str
    """What it is called by those who keep count."""
    cure: str
    """What to do, as far as they say."""


class AuditAnswer(NamedTuple):
    """What one program was told."""

    asked: int
    """Packages about which there was an answer."""
    found: tuple[Weakness, ...]
    """Everything known about them."""
    unasked: tuple[str, ...]
    """Why there was no answer, a line each."""


def from_pip_audit(text: str, trouble: str) -> AuditAnswer:
    """What pip-audit wrote as JSON; `trouble` is what it complained about meanwhile."""
    try:
        told = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return AuditAnswer(0, (), (_take_last_line(trouble),))
    asked = [each for each in told if "skip_reason" not in each]
    found = [_read_python_weakness(each, of) for each in asked for of in each["vulns"]]
    unasked = [each["skip_reason"] for each in told if "skip_reason" in each]
    return AuditAnswer(len(asked), tuple(found), tuple(unasked))


def from_npm(text: str, trouble: str) -> AuditAnswer:
    """What `npm audit --json` wrote, the same way."""
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
        if isinstance(of, dict)  # a name alone points at another row
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
