"""Write findings as SARIF 2.1.0, which code hosts read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from saniwa.core.findings import Finding

if TYPE_CHECKING:
    pass


_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def build_sarif_log(findings: Sequence[Finding]) -> dict[str, Any]:
    """Build the log: one run with its rules, and one result per finding."""
    # Imported late: only this output needs it.
    from importlib.metadata import version

    codes = sorted({found.code for found in findings})
    driver = {
        "name": "saniwa",
        "version": version("saniwa"),
        "rules": [_build_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_build_result(found, codes.index(found.code)) for found in findings],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _build_rule(code: str) -> dict[str, Any]:
    words = code.replace("_", " ").lower()
    return {
        "id": code,
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": words.capitalize()},
        # Not `helpUri`, which must be absolute: the page is a file of this project.
        "help": {"text": f"docs/errors/{code}.md"},
    }


def _build_result(found: Finding, rule: int) -> dict[str, Any]:
    text = f"{found.message}\n{found.hint}" if found.hint else found.message
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity,
        "message": {"text": text},
    }
    if found.where.file:
        result["locations"] = [{"physicalLocation": _build_location(found)}]
        rewrite = found.details.get("rewrite")
        if rewrite is not None:
            result["fixes"] = [_build_fix(found, rewrite)]
    return result


def _build_location(found: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _build_artifact(found)}
    if found.where.line:
        place["region"] = {"startLine": found.where.line}
        if found.where.column:
            place["region"]["startColumn"] = found.where.column
    return place


def _build_artifact(found: Finding) -> dict[str, str]:
    path = Path(found.where.file)
    raw = found.where.file.encode("utf-8", "surrogateescape")
    return {"uri": path.as_uri() if path.is_absolute() else quote(raw)}


def _build_fix(found: Finding, rewrite: dict[str, Any]) -> dict[str, Any]:
    begin = rewrite["column"]
    replacement = {
        "deletedRegion": {
            "startLine": rewrite["line"],
            "startColumn": begin,
            "endColumn": begin + rewrite["length"],
        },
        "insertedContent": {"text": rewrite["text"]},
    }
    change = {"artifactLocation": _build_artifact(found), "replacements": [replacement]}
    return {"description": {"text": found.hint or "rewrite it"}, "artifactChanges": [change]}
