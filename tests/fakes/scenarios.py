"""Small scenario documents for tests, and short ways to inspect them."""

from typing import Any

from saniwa.core.findings import Finding
from saniwa.documents.document import make_document, parse_document
from saniwa.scenario.loader import inspect_scenario_document
from saniwa.world.model import World

Plain = dict[str, Any]


def make_flat(**more: Any) -> Plain:
    """A kitchen, a hall, and Ann in the kitchen; `more` replaces or adds keys."""
    document: Plain = {
        "name": "flat",
        "locations": {"kitchen": {"exits": ["hall"]}, "hall": {"exits": ["kitchen"]}},
        "characters": {"Ann": {"location": "kitchen"}},
    }
    return document | more


def list_findings(document: Plain) -> list[Finding]:
    """All findings in a document, in order."""
    return list(inspect_scenario_document(make_document(document)).report.findings)


def list_codes(document: Plain) -> list[str]:
    """The codes of all findings, in order."""
    return [finding.code for finding in list_findings(document)]


def build_world(document: Plain) -> World:
    """The world of a document, which must have no errors."""
    inspected = inspect_scenario_document(make_document(document))
    assert inspected.world is not None, inspected.report.errors
    return inspected.world


def find_in_text(text: str) -> list[tuple[str, str]]:
    """The code and `line:column` of all findings in a YAML text."""
    report = inspect_scenario_document(parse_document(text, "a.yaml")).report
    return [(f.code, f"{f.where.line}:{f.where.column}") for f in report.findings]
