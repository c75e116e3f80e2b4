"""Checks texts as they are typed; nothing is stored.

A long text takes seconds: each is checked by the workspace's own threads for it, and a
caller has only a few of them waiting.
"""

import asyncio
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from saniwa.app.authoring.drafts import (
    CheckedScenario,
    check_scenario_text,
    find_first_file,
    read_draft,
    read_loose_draft,
)
from saniwa.app.authoring.errors import redact_error, redact_finding
from saniwa.app.authoring.story_files import locate_story_folder
from saniwa.app.workspace import Workspace
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Severity, SourceLocation
from saniwa.http.contract import AuthoredText, Operation, OperationCall
from saniwa.http.middleware.limits import find_limit_key
from saniwa.http.routes.playing import PlayerWords
from saniwa.http.routes.story_outline import (
    OutlineLine,
    StoryCounts,
    StoryGraph,
    build_outline_lines,
    build_story_graph,
    count_story,
)
from saniwa.http.routes.world_views import WorldView, build_world_view
from saniwa.runs.playing import PreviewSummary, summarise_preview
from saniwa.story.links import join_link
from saniwa.story.story import Story, parse_story

MAX_MARKS: Final = 300
"""The largest number of findings in an answer."""
_WORD_PATTERN: Final = re.compile(r"[^\s,;:(){}\[\]]+|\S")
_OFFER_PATTERN: Final = re.compile(r"did you mean '([^']+)'\?")
_QUOTED_NAME: Final = re.compile(r"'([^']+)'")
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")


class SuggestedRewrite(msgspec.Struct, frozen=True, kw_only=True):
    """A cure that can be applied: some letters of a line, written differently."""

    line: int
    """The line, from 1."""
    column: int
    """The first letter, from 1."""
    length: int
    """How many letters there are."""
    text: str
    """What to write instead."""


class FindingMark(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and the letters it is about."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: Severity
    """Only errors keep a text from being used."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    file: str = ""
    """The file; empty for the text itself."""
    line: int = 0
    """The line, from 1; 0 where no line is known."""
    column: int = 0
    """The first letter, from 1; 0 where none is known."""
    end: int = 0
    """The column behind the last letter; 0 for the end of the line."""
    path: str = ""
    """The way through a document."""
    rewrite: SuggestedRewrite | None = None
    """The cure, where it can be applied."""


def build_marks(findings: Iterable[Finding], text: str, file: str) -> list[FindingMark]:
    """Return findings as marks; those of the text itself name no file."""
    lines = _LINE_BREAK.split(text)
    shown = sorted(findings, key=lambda each: each.severity != "error")[:MAX_MARKS]
    found = [_build_mark(each, lines, file) for each in shown]
    return sorted(found, key=lambda each: (each.file, each.line, each.column))


def _build_mark(finding: Finding, lines: list[str], file: str) -> FindingMark:
    where = finding.where
    here = where.file in ("", file)
    rewrite = (
        (_read_rewrite(finding.details) or _find_offered_rewrite(finding, lines)) if here else None
    )
    return FindingMark(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        hint=finding.hint,
        file="" if here else where.file,
        line=where.line,
        column=where.column,
        end=_find_mark_end(lines, where.line, where.column, rewrite) if here else 0,
        path=where.path,
        rewrite=rewrite,
    )


def _find_mark_end(
    lines: list[str], line: int, column: int, rewrite: SuggestedRewrite | None
) -> int:
    """Return the end of a mark: of the suggested rewrite, or of the word."""
    if rewrite is not None and (rewrite.line, rewrite.column) == (line, column):
        return column + rewrite.length
    if not 0 < line <= len(lines) or column < 1:
        return 0
    word = _WORD_PATTERN.match(lines[line - 1], column - 1)
    return word.end() + 1 if word else 0


def _find_offered_rewrite(finding: Finding, lines: list[str]) -> SuggestedRewrite | None:
    """Return the rewrite that a hint offers, if the wrong name is at this place."""
    offered, where = _OFFER_PATTERN.fullmatch(finding.hint), finding.where
    if offered is None or not 0 < where.line <= len(lines) or where.column < 1:
        return None
    rest = lines[where.line - 1][where.column - 1 :]
    for named in _QUOTED_NAME.findall(finding.message):
        if rest.startswith(named):
            return SuggestedRewrite(
                line=where.line, column=where.column, length=len(named), text=offered[1]
            )
    return None


def _read_rewrite(details: dict[str, Any]) -> SuggestedRewrite | None:
    rewrite = details.get("rewrite")
    if not isinstance(rewrite, dict):
        return None
    return SuggestedRewrite(
        line=rewrite["line"],
        column=rewrite["column"],
        length=rewrite["length"],
        text=rewrite["text"],
    )


ShortName = Annotated[str, msgspec.Meta(max_length=200)]
Answer = TypeVar("Answer")


class _RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request body; unknown fields are refused."""


class CheckStoryRequest(_RequestBody, frozen=True, kw_only=True):
    """A story's text, as it is being written."""

    text: AuthoredText
    """The text."""
    story: ShortName = ""
    """The story it is of; empty for none."""
    file: ShortName = ""
    """The file of that story; empty for the one it begins in."""


class StoryCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a story's text comes to."""

    passed: bool
    """Whether it can be played."""
    title: str
    """What people call it."""
    language: str
    """The language it is written in; empty where it does not say."""
    findings: list[FindingMark]
    """Everything found, in reading order."""
    outline: list[OutlineLine]
    """What the text consists of."""
    graph: StoryGraph
    """How the whole story hangs together."""
    counts: StoryCounts
    """How long the whole story is."""


class CheckScenarioRequest(_RequestBody, frozen=True, kw_only=True):
    """A scenario's text, as it is being written."""

    text: AuthoredText
    """The text."""
    format: Literal["yaml", "json"] = "yaml"
    """What it is written in."""
    scenario: ShortName = ""
    """The scenario it is of; empty for none."""


class ScenarioCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a scenario's text comes to."""

    passed: bool
    """Whether it can be played."""
    findings: list[FindingMark]
    """Everything found, in reading order."""
    world: WorldView | None = None
    """The world it opens with; null where a mistake keeps it from being one."""
    language: str = ""
    """The language its people speak."""


class TryWordsRequest(CheckScenarioRequest, frozen=True, kw_only=True):
    """Words to be tried on a scenario's text."""

    words: PlayerWords
    """What the actor would say or do first."""
    actor: ShortName = ""
    """Who; empty for the one the scenario names."""


async def check_story(call: OperationCall) -> StoryCheckResult:
    """Check a story's text."""
    return await _run_check(call, _check_library_story)


async def _run_check(call: OperationCall, work: Callable[[Workspace, Any], Answer]) -> Answer:
    """Run a check in the workspace's check queue, within the caller's limit."""
    workspace, body = call.workspace, call.body
    return await workspace.checks.run(lambda: work(workspace, body), find_limit_key(call.scope))


def _check_library_story(workspace: Workspace, body: CheckStoryRequest) -> StoryCheckResult:
    registry = workspace.parts.registry
    if not body.story:
        return _check_loose_story(body.text, registry)
    place = workspace.library.find(body.story)
    folder = locate_story_folder(place)
    try:
        story = read_draft(body.text, place, body.file, registry)
    except ScriptError as problem:
        raise redact_error(problem, folder) from problem
    found = [redact_finding(each, folder) for each in story.report.findings]
    name = body.file or find_first_file(place, "").name
    return _build_story_result(story, found, body.text, name)


def _check_loose_story(text: str, registry: str | Path | None) -> StoryCheckResult:
    more = list[Finding]()
    try:
        story = read_loose_draft(text, registry)
    except ScriptError as problem:
        story = parse_story(text)
        more.append(_make_finding(problem))
    return _build_story_result(story, [*story.report.findings, *more], text, "story.md")


def _build_story_result(
    story: Story, findings: list[Finding], text: str, name: str
) -> StoryCheckResult:
    first = story.scenes[0]
    edited = join_link(first.file, name)
    scene = next((each for each in story.scenes if each.file == edited), None)
    return StoryCheckResult(
        passed=not any(each.severity == "error" for each in findings),
        title=story.title,
        language=first.front.language,
        findings=build_marks(findings, text, name),
        outline=build_outline_lines(scene) if scene else [],
        graph=build_story_graph(story, edited),
        counts=count_story(story.program),
    )


def _make_finding(problem: ScriptError) -> Finding:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=SourceLocation(file="story.md", line=1, column=1),
        hint=problem.hint,
    )


async def check_scenario(call: OperationCall) -> ScenarioCheckResult:
    """Check a scenario's text."""
    return await _run_check(call, _build_scenario_result)


def _build_scenario_result(workspace: Workspace, body: CheckScenarioRequest) -> ScenarioCheckResult:
    checked = _check_scenario_text(workspace, body)
    run = checked.run
    return ScenarioCheckResult(
        passed=checked.report.has_passed,
        findings=build_marks(checked.report.findings, body.text, checked.file),
        world=None if run is None else build_world_view(run, -1),
        language="" if run is None else run.world.language,
    )


def _check_scenario_text(workspace: Workspace, body: CheckScenarioRequest) -> CheckedScenario:
    registry = workspace.parts.registry
    return check_scenario_text(body.text, body.format, body.scenario, registry)


async def try_words(call: OperationCall) -> PreviewSummary:
    """Try words on the world that a scenario's text would be."""
    return await _run_check(call, _preview_words)


def _preview_words(workspace: Workspace, body: TryWordsRequest) -> PreviewSummary:
    run = _check_scenario_text(workspace, body).run
    if run is None:
        return summarise_preview(None)
    # The preview awaits nothing but its own work, so it can run in this thread.
    return summarise_preview(asyncio.run(run.preview(body.words, body.actor or None)))


_EXAMPLE_WORLD = """\
name: hut
locations:
  hut: {name: Hut, description: One room and a window.}
characters:
  ana: {location: hut}
"""
DRAFT_OPERATIONS = (
    Operation(
        name="checkStory",
        method="POST",
        path="/check/story",
        summary="Check a story's text: findings, outline, graph and length",
        run=check_story,
        takes=CheckStoryRequest,
        takes_text=True,
        answers=StoryCheckResult,
        needs="play",
        codes=("STORY_NOT_FOUND", "FILE_OUTSIDE"),
        example={"text": "# Rain\n\nIt rains.\n"},
    ),
    Operation(
        name="checkScenario",
        method="POST",
        path="/check/scenario",
        summary="Check a scenario's text: findings, and the world as a map",
        run=check_scenario,
        takes=CheckScenarioRequest,
        takes_text=True,
        answers=ScenarioCheckResult,
        needs="play",
        codes=("REGISTRY_MISSING",),
        example={"text": _EXAMPLE_WORLD},
    ),
    Operation(
        name="tryWords",
        method="POST",
        path="/check/scenario/words",
        summary="How words would be understood in the world that a text would be",
        run=try_words,
        takes=TryWordsRequest,
        takes_text=True,
        answers=PreviewSummary,
        needs="play",
        codes=("REGISTRY_MISSING", "ACTOR_UNKNOWN"),
        example={"text": _EXAMPLE_WORLD, "words": "look"},
    ),
)
