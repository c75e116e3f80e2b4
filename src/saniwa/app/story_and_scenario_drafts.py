"""Drafts of stories and scenarios: checks them, and opens those that can be played.

Nothing is saved here: see `story_files` and `scenario_files`.
"""

import os
from pathlib import Path

import msgspec

from saniwa.app import describe, scenario_lookup
from saniwa.app.story_files import locate_story_folder, split_text_name
from saniwa.app.story_library import StoryPlace
from saniwa.app.story_opening import add_world_findings, check_playable_story, to_language
from saniwa.core.errors import DocumentError, SaniwaError, ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.redaction import redact_errors, redact_finding
from saniwa.documents.document import Document, DocumentFormat, parse_document_bytes
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run
from saniwa.scenario.loader import inspect_scenario_document, load_scenario
from saniwa.scenario.registry import get_entry_file
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.files import read_text_file
from saniwa.story.link_parser import join_link
from saniwa.story.story import Story, parse_story, read_story_text


def read_draft(
    text: str,
    place: StoryPlace,
    file: str = "",
    registry: str | Path | None = None,
    *,
    language: str | None = None,
) -> Story:
    """Read a story with one file replaced by a draft, and check its world.

    `file` is relative to the story's folder; empty for the file in which it begins.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE` for the name; `STORY_UNREADABLE`
            for another file of the story.
    """
    first = os.fspath(find_first_file(place, file, language))
    edited = join_link(first, "/".join(split_text_name(place, file))) if file else first
    if edited == first:
        return add_world_findings(read_story_text(text, first), registry)
    read = read_story_text(read_text_file(first), first, {edited: text})
    return add_world_findings(read, registry)


def find_first_file(place: StoryPlace, file: str, language: str | None = None) -> Path:
    """Return the first file of the story edition that a file belongs to."""
    for edition in place.editions:
        if edition.path == locate_story_folder(place) / file:
            return edition.path
    return place.find_edition(language).path


def load_playable_draft(
    text: str,
    place: StoryPlace,
    file: str = "",
    registry: str | Path | None = None,
    *,
    language: str | None = None,
) -> Story:
    """Read a draft as `read_draft` does, in a language, and require it to be playable.

    Raises:
        SaniwaError: It cannot be played. The error contains no folder of the server.
    """
    with redact_errors(locate_story_folder(place)):
        story = read_draft(text, place, file, registry, language=language)
        first = find_first_file(place, file, language)
        return check_playable_story(to_language(story, first, language))


def read_loose_draft(text: str, registry: str | Path | None = None) -> Story:
    """Read a story text without a file; it may not include or name other files.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    story = parse_story(text)
    ground = story.program.ground
    for named in (ground.scenario, ground.book) if ground else ():
        if named and scenario_lookup.is_document_file(named):
            raise describe("FILE_OUTSIDE/read_loose_draft", named=named).to_error(
                ScriptError, where=SourceLocation(file=story.scenes[0].file)
            )
    return add_world_findings(story, registry)


class CheckedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking a scenario's text."""

    report: Report
    """Everything found."""
    file: str
    """The name that findings use for the text."""
    run: Run | None = None
    """A run of it that is not stored; None if an error in the text prevents one."""


def check_scenario_text(
    text: str, format: DocumentFormat, scenario: str = "", registry: str | Path | None = None
) -> CheckedScenario:
    """Check a text as if it were a scenario's file.

    Without a scenario the text has no folder, and may not name files.

    Raises:
        ScenarioError: `REGISTRY_MISSING` if there is no such scenario.
    """
    file, expected = _locate_scenario(scenario, registry)
    try:
        document = parse_document_bytes(text.encode("utf-8", "replace"), file, format)
    except DocumentError as problem:
        report = _make_report([problem.to_finding()], file)
        return CheckedScenario(report=report, file=Path(file).name)
    findings = [*inspect_scenario_document(document, expected).report.findings]
    if file:
        findings += [
            *_inspect_book(document, registry),
            *scenario_lookup.inspect_scenario_agents(document),
        ]
    else:
        findings += _check_loose_book(document, registry)
    report = _make_report(findings, file)
    if not report.has_passed:
        return CheckedScenario(report=report, file=Path(file).name)
    return _try_run(document, report, registry)


def _inspect_book(document: Document, registry: str | Path | None) -> tuple[Finding, ...]:
    """Return the findings of a scenario's rulebook, without the server's folders."""
    top = scenario_lookup.locate_books_folder(registry).parent
    found = scenario_lookup.inspect_scenario_book(document, registry)
    return tuple(redact_finding(each, top) for each in found)


def _locate_scenario(scenario: str, registry: str | Path | None) -> tuple[str, str | None]:
    """Return a scenario's file and the name it must have; ("", None) without a file."""
    if not scenario:
        return "", None
    entry = scenario_lookup.find_entry(scenario, registry)
    return ("", None) if entry.path is None else (get_entry_file(entry), scenario)


def _check_loose_book(document: Document, registry: str | Path | None) -> tuple[Finding, ...]:
    plain = document.plain
    named = plain.get("rulebook") if isinstance(plain, dict) else None
    if not isinstance(named, str) or not scenario_lookup.is_document_file(named):
        return _inspect_book(document, registry)
    said = describe("FILE_OUTSIDE/unsaved_rulebook", named=named)
    return (said.to_finding(document.locate(("rulebook",))),)


def _try_run(document: Document, report: Report, registry: str | Path | None) -> CheckedScenario:
    file = Path(document.file).name
    try:
        scenario = load_scenario(document)
        layers = scenario_lookup.load_book_layers(scenario, registry=registry)
        run = open_run(scenario, layers, MemoryRunStore())
    except SaniwaError as problem:
        # For example a scenario without a playable character, which has no run.
        failed = _make_report([*report.findings, problem.to_finding()], document.file)
        return CheckedScenario(report=failed, file=file)
    return CheckedScenario(report=report, file=file, run=run)


def _make_report(findings: list[Finding], file: str) -> Report:
    return Report.from_findings(redact_finding(each, Path(file).parent) for each in findings)
