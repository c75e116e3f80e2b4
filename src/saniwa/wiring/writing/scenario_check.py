"""A scenario's text as it is being written: everything found, and the world it would be."""

from pathlib import Path

import msgspec

from saniwa.core.document import Document, Format, read_bytes
from saniwa.core.errors import DocumentError, SaniwaError
from saniwa.core.finding import Finding, Report
from saniwa.core.where import Where
from saniwa.run.begin import open_run
from saniwa.run.conductor import Run
from saniwa.scenario.inspect import inspect
from saniwa.scenario.load import load
from saniwa.scenario.registry import file_of
from saniwa.store.memory import MemoryStore
from saniwa.wiring.scenario import (
    book_findings,
    book_layers,
    find_entry,
    is_file,
)
from saniwa.wiring.scenario_agents import agent_findings
from saniwa.wiring.writing.shown import shown_finding


class CheckedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a scenario's text."""

    report: Report
    """Everything found."""
    file: str
    """What findings call the text."""
    run: Run | None = None
    """A run of it that nobody keeps; None where a mistake keeps it from being one."""


def check_text(
    text: str,
    format: Format,
    scenario: str = "",
    registry: str | Path | None = None,
) -> CheckedScenario:
    """Look at a text as if it were a scenario's file.

    Without a scenario it lies nowhere, and may name no files.

    Raises:
        ScenarioError: `REGISTRY_MISSING` if there is no such scenario.
    """
    file, expected = _place(scenario, registry)
    try:
        document = read_bytes(text.encode("utf-8", "replace"), file, format)
    except DocumentError as problem:
        report = _shown([_finding(problem)], file)
        return CheckedScenario(report=report, file=Path(file).name)
    findings = [*inspect(document, expected).report.findings]
    if file:
        findings += [*book_findings(document), *agent_findings(document)]
    else:
        findings += _loose(document)
    report = _shown(findings, file)
    if not report.passed:
        return CheckedScenario(report=report, file=Path(file).name)
    return _on_trial(document, report)


def _place(scenario: str, registry: str | Path | None) -> tuple[str, str | None]:
    """The file a scenario lies in, and the name it must have; nothing for none."""
    if not scenario:
        return "", None
    entry = find_entry(scenario, registry)
    return ("", None) if entry.path is None else (file_of(entry), scenario)


def _loose(document: Document) -> tuple[Finding, ...]:
    plain = document.plain
    named = plain.get("rulebook") if isinstance(plain, dict) else None
    if not isinstance(named, str) or not is_file(named):
        return book_findings(document)
    outside = Finding(
        code="FILE_OUTSIDE",
        message=f"a text that is no file cannot name the rulebook {named!r}",
        where=document.where(("rulebook",)),
        hint="name a shipped book, or save the scenario first",
    )
    return (outside,)


def _on_trial(document: Document, report: Report) -> CheckedScenario:
    file = Path(document.file).name
    try:
        scenario = load(document)
        run = open_run(scenario, book_layers(scenario), MemoryStore())
    except SaniwaError as problem:
        # Such as a scenario in which nobody can be played: it has no run.
        told = _shown([*report.findings, _finding(problem)], document.file)
        return CheckedScenario(report=told, file=file)
    return CheckedScenario(report=report, file=file, run=run)


def _finding(problem: SaniwaError) -> Finding:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    )


def _shown(findings: list[Finding], file: str) -> Report:
    return Report.of(shown_finding(each, Path(file).parent) for each in findings)
