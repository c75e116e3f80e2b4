"""Writing scenarios and stories: checking texts as they are typed, and keeping them.

A story is shown as an editor needs it next to its text: outline, graph and length. A long
text takes seconds: each is checked by the workspace's own threads for it, and a caller
has only a few of them waiting.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from saniwa.app import scenario_files, story_and_scenario_drafts, story_files
from saniwa.app.creation_requests import create_once
from saniwa.app.operations import library, operation
from saniwa.app.operations.library import ScenarioSummary, StorySummary
from saniwa.app.operations.operation import (
    OperationAnswer,
    OperationCall,
    ShortName,
    build_view,
    define,
)
from saniwa.app.operations.playing import PlayerWords
from saniwa.app.operations.world_views import WorldView, build_world_view
from saniwa.app.scenario_files import ScenarioSource
from saniwa.app.story_files import (
    StoryFileEntry,
    StoryTextFile,
    check_story_id,
    copy_story,
    create_story,
)
from saniwa.app.workspace import Workspace
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Severity, SourceLocation
from saniwa.core.graph import Graph
from saniwa.core.redaction import redact_error, redact_finding
from saniwa.runs.playing import PreviewSummary, summarise_preview
from saniwa.story.elements import StoryScene
from saniwa.story.finding_collector import translate_finding
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.link_parser import join_link, to_relative
from saniwa.story.program import EnterOp, Program
from saniwa.story.story import Story, parse_story
from saniwa.story.tools import overview

MAX_NODES: Final = 400
"""The largest number of nodes in an answer."""
MAX_LINES: Final = 1_000
"""The largest number of outline lines in an answer."""
MAX_SPEAKERS: Final = 50
"""The largest number of speakers in an answer."""
_MAX_LABELS: Final = 8


class OutlineLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the outline."""

    name: str
    """The title."""
    sort: overview.OutlineSort
    """The kind of line."""
    line: int
    """The first line, from 1."""
    last: int
    """The last line of this part."""
    level: int
    """0 at the top level, 1 inside a section."""


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A section, an ending, or the unknown target of a jump."""

    id: str
    """Its name in the graph."""
    name: str
    """The title."""
    kind: str
    """`start`, `section`, `ending`, `end` or `missing`."""
    file: str = ""
    """The file of the node; empty for the checked text itself."""
    line: int = 0
    """The line of the node, from 1; 0 if it has none."""
    reached: bool = True
    """Whether any path leads to it."""


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A connection from one node to another."""

    start: str
    """The node it leaves."""
    end: str
    """The node it leads to."""
    kind: str
    """`jump`, `call`, or `fall` if the next section simply follows."""
    labels: list[str]
    """The choices that lead to the end node."""


class StoryGraph(msgspec.Struct, frozen=True, kw_only=True):
    """How the sections of a story are connected."""

    nodes: list[GraphNode]
    """The nodes; the first is the start."""
    edges: list[GraphEdge]
    """In the author's order."""
    left_out: int = 0
    """The number of nodes left out because there are too many."""


class SpeakerCount(msgspec.Struct, frozen=True, kw_only=True):
    """The amount of text of one speaker."""

    name: str
    """The speaker; empty for the narrator."""
    lines: int
    """Utterances."""
    words: int
    """Words separated by spaces."""
    letters: int
    """Japanese characters."""


class StoryCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The length of a story."""

    lines: int
    """Utterances."""
    words: int
    """Words separated by spaces."""
    letters: int
    """Japanese characters."""
    seconds: int
    """The estimated reading time in seconds."""
    sections: int
    """Sections."""
    choices: int
    """Lists of choices."""
    options: int
    """Choices in those lists."""
    endings: list[str]
    """The ids of the endings, in order."""
    speakers: list[SpeakerCount]
    """The speakers, the one with most text first."""


def build_outline_lines(scene: StoryScene) -> list[OutlineLine]:
    """Return the outline of one file."""
    return [*islice(_flatten_entries(overview.build_outline(scene), 0), MAX_LINES)]


def _flatten_entries(
    entries: tuple[overview.OutlineEntry, ...], level: int
) -> Iterator[OutlineLine]:
    for each in entries:
        yield build_view(OutlineLine, each, level=level)
        yield from _flatten_entries(each.inner, level + 1)


def build_story_graph(story: Story, file: str) -> StoryGraph:
    """Return the graph of a story; nodes of the file itself name no file."""
    graph = overview.build_graph(story.program, story.title)
    shown = graph.nodes[:MAX_NODES]
    known = {node.id for node in shown}
    homes = _find_node_files(graph, story.program)
    first = story.scenes[0].file
    nodes = [
        build_view(GraphNode, node, file=_show_file(home, first, file), reached=reached)
        for node in shown
        for home, reached in [homes.get(node.id, ("", True))]
    ]
    edges = [
        build_view(GraphEdge, edge, labels=edge.labels[:_MAX_LABELS])
        for edge in graph.edges
        if edge.start in known and edge.end in known
    ]
    left_out = len(graph.nodes) - len(shown)
    return StoryGraph(nodes=nodes, edges=edges, left_out=left_out)


def _find_node_files(graph: Graph, program: Program) -> dict[str, tuple[str, bool]]:
    """Return for every node its file, and whether it is reachable.

    Sections are in the order of their labels; an ending or a missing name belongs to
    the section that leads to it.
    """
    flow = StoryFlow(program)
    entered: dict[str, int] = {}
    for address, op in enumerate(program.ops):
        if isinstance(op, EnterOp):
            entered.setdefault(op.label, address)
    sections = [node.id for node in graph.nodes if node.kind == "section"]
    homes = {
        id: (program.find_file(address), flow.is_reachable(address))
        for id, address in zip(sections, entered.values(), strict=False)
    }
    for node in graph.nodes:
        if node.kind == "start":
            homes[node.id] = (program.find_file(0), True)
    for edge in graph.edges:
        if edge.start in homes:
            homes.setdefault(edge.end, homes[edge.start])
    return homes


def _show_file(home: str, first: str, file: str) -> str:
    return "" if not home or home == file else to_relative(home, first)


def count_story(program: Program) -> StoryCounts:
    """Return the length of a story."""
    found = overview.measure_story(program)
    speakers = [build_view(SpeakerCount, each, each.size) for each in found.speakers[:MAX_SPEAKERS]]
    endings = found.endings[:MAX_NODES]
    return build_view(StoryCounts, found, found.size, endings=endings, speakers=speakers)


MAX_MARKS: Final = 300
"""The largest number of findings in an answer."""
_WORD_PATTERN: Final = re.compile(r"[^\s,;:(){}\[\]]+|\S")
_OFFER_PATTERN: Final = re.compile(r"did you mean '([^']+)'\?")
_QUOTED_NAME: Final = re.compile(r"'([^']+)'")
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")


class SuggestedRewrite(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that can be applied: a replacement for part of a line."""

    line: int
    """The line, from 1."""
    column: int
    """The first character, from 1."""
    length: int
    """The number of characters."""
    text: str
    """The replacement."""


class FindingMark(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and the range of text that it is about."""

    code: str
    """The code, in upper case; the documentation explains it."""
    severity: Severity
    """The severity; only errors prevent a text from being used."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""
    file: str = ""
    """The file; empty for the checked text itself."""
    line: int = 0
    """The line, from 1; 0 if unknown."""
    column: int = 0
    """The first character, from 1; 0 if unknown."""
    end: int = 0
    """The column after the last character; 0 for the end of the line."""
    path: str = ""
    """The path within the document."""
    rewrite: SuggestedRewrite | None = None
    """The fix, if it can be applied automatically."""


warm_decoders(Finding, SuggestedRewrite)


def build_marks(findings: Iterable[Finding], text: str, file: str) -> list[FindingMark]:
    """Return findings as marks; those of the text itself name no file."""
    lines = _LINE_BREAK.split(text)
    shown = sorted(findings, key=lambda each: each.severity != "error")[:MAX_MARKS]
    found = [_build_mark(each, lines, file) for each in shown]
    return sorted(found, key=lambda each: (each.file, each.line, each.column))


def _build_mark(finding: Finding, lines: list[str], file: str) -> FindingMark:
    where, shown = finding.where, translate_finding(finding)
    if where.file not in ("", file):
        return operation.build_view(FindingMark, shown, where)
    rewrite = finding.details.get("rewrite")
    mended = (
        msgspec.convert(rewrite, SuggestedRewrite)
        if isinstance(rewrite, dict)
        else _find_offered_rewrite(finding, lines)
    )
    end = _find_mark_end(lines, where.line, where.column, mended)
    return operation.build_view(FindingMark, shown, where, file="", end=end, rewrite=mended)


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


Answer = TypeVar("Answer")
Body = TypeVar("Body", bound=operation.RequestRecord)


class CheckStoryRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The text of a story, saved or not."""

    text: operation.AuthoredText
    """The text."""
    story: ShortName = ""
    """The id of the story; empty for none."""
    file: ShortName = ""
    """The file of that story; empty for its first file."""


class StoryCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking a story's text."""

    passed: bool
    """Whether it can be played."""
    title: str
    """The title."""
    language: str
    """The language of the story; empty if it states none."""
    findings: list[FindingMark]
    """All findings, in reading order."""
    outline: list[OutlineLine]
    """The parts of the text."""
    graph: StoryGraph
    """How the sections of the whole story are connected."""
    counts: StoryCounts
    """The length of the whole story."""


class CheckScenarioRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The text of a scenario, saved or not."""

    text: operation.AuthoredText
    """The text."""
    format: Literal["yaml", "json"] = "yaml"
    """The format of the text."""
    scenario: ShortName = ""
    """The id of the scenario; empty for none."""


class ScenarioCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking a scenario's text."""

    passed: bool
    """Whether it can be played."""
    findings: list[FindingMark]
    """All findings, in reading order."""
    world: WorldView | None = None
    """The initial world; null if an error prevents it from being built."""
    language: str = ""
    """The language of the scenario."""


class TryWordsRequest(CheckScenarioRequest, frozen=True, kw_only=True):
    """Words to try in the world of a scenario's text."""

    words: PlayerWords
    """The first words of the actor."""
    actor: ShortName = ""
    """The character who speaks; empty for the scenario's own."""


@define(
    "POST /check/story",
    "STORY_NOT_FOUND FILE_OUTSIDE",
    needs="play",
    takes_text=True,
    has_findings=True,
)
async def check_story(call: OperationCall, body: CheckStoryRequest) -> StoryCheckResult:
    """Check a story's text: findings, outline, graph and length."""
    return await _run_check(call, body, _check_library_story)


async def _run_check(
    call: OperationCall, body: Body, work: Callable[[Workspace, Body], Answer]
) -> Answer:
    """Run a check in the workspace's check queue, within the caller's limit."""
    workspace = call.workspace
    return await workspace.checks.run(lambda: work(workspace, body), call.find_share())


def _check_library_story(workspace: Workspace, body: CheckStoryRequest) -> StoryCheckResult:
    registry = workspace.runs.registry
    if not body.story:
        return _check_loose_story(body.text, registry)
    place = workspace.library.find(body.story)
    folder = story_files.locate_story_folder(place)
    try:
        story = story_and_scenario_drafts.read_draft(body.text, place, body.file, registry)
    except ScriptError as problem:
        raise redact_error(problem, folder) from problem
    found = [redact_finding(each, folder) for each in story.report.findings]
    name = body.file or story_and_scenario_drafts.find_first_file(place, "").name
    return _build_story_result(story, found, body.text, name)


def _check_loose_story(text: str, registry: str | Path | None) -> StoryCheckResult:
    more = list[Finding]()
    try:
        story = story_and_scenario_drafts.read_loose_draft(text, registry)
    except ScriptError as problem:
        story = parse_story(text)
        where = SourceLocation(file="story.md", line=1, column=1)
        more.append(operation.build_view(Finding, problem, where=where, details={}))
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


@define("POST /check/scenario", "REGISTRY_MISSING", needs="play", takes_text=True)
async def check_scenario(call: OperationCall, body: CheckScenarioRequest) -> ScenarioCheckResult:
    """Check a scenario's text: findings, and the world as a map."""
    return await _run_check(call, body, _build_scenario_result)


def _build_scenario_result(workspace: Workspace, body: CheckScenarioRequest) -> ScenarioCheckResult:
    checked = _check_scenario_text(workspace, body)
    run = checked.run
    return ScenarioCheckResult(
        passed=checked.report.has_passed,
        findings=build_marks(checked.report.findings, body.text, checked.file),
        world=None if run is None else build_world_view(run, -1),
        language="" if run is None else run.world.language,
    )


def _check_scenario_text(
    workspace: Workspace, body: CheckScenarioRequest
) -> story_and_scenario_drafts.CheckedScenario:
    registry = workspace.runs.registry
    return story_and_scenario_drafts.check_scenario_text(
        body.text, body.format, body.scenario, registry
    )


@define(
    "POST /check/scenario/words", "REGISTRY_MISSING ACTOR_UNKNOWN", needs="play", takes_text=True
)
async def try_words(call: OperationCall, body: TryWordsRequest) -> PreviewSummary:
    """Show how words would be understood in the world of an unsaved scenario."""
    return await _run_check(call, body, _preview_words)


def _preview_words(workspace: Workspace, body: TryWordsRequest) -> PreviewSummary:
    run = _check_scenario_text(workspace, body).run
    if run is None:
        return summarise_preview(None)
    # The preview awaits nothing but its own work, so it can run in this thread.
    return summarise_preview(asyncio.run(run.preview(body.words, body.actor or None)))


class SaveTextRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """The new text of a file."""

    text: operation.AuthoredText
    """The new text."""
    seen: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """The version that you read; empty for a new file."""


class CreateStoryRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """A story to create."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    """The id: lower-case letters, digits and `-`."""
    title: ShortName = ""
    """The title; empty for the id."""
    language: Literal["en", "ja"] = "en"
    """The language of the template."""
    copy_of: ShortName = ""
    """The story to copy instead of the template; empty for none."""


_TEXT_CODES = "STORY_NOT_FOUND FILE_OUTSIDE NAME_UNUSABLE STORY_UNREADABLE"
_WRITE_CODES = "FILE_UNWRITABLE LOCK_TIMEOUT"


@define(
    "POST /stories",
    f"STORY_NOT_FOUND NAME_UNUSABLE FILE_EXISTS {_WRITE_CODES} IDEMPOTENCY_CONFLICT",
    needs="change",
    creates=True,
)
def make_story(call: OperationCall, body: CreateStoryRequest) -> OperationAnswer[StorySummary]:
    """Create a story, from a template or as a copy."""
    check_story_id(body.id)
    stories = call.workspace.library

    def create_files() -> None:
        if body.copy_of:
            copy_story(stories, body.id, body.copy_of)
        else:
            create_story(stories, body.id, body.title, body.language)

    folder = stories.roots[0].folder
    made = _create_once(call, folder, body.id, create_files)
    line = library.load_story_summary(call.workspace, made)
    return OperationAnswer(
        body=line, headers=(operation.build_location_header("stories", line.id),)
    )


def _create_once(call: OperationCall, place: Path, id: str, create: Callable[[], None]) -> str:
    """Create something; the same request again finds what it made."""
    return create_once(call.workspace.creations, place, call.caller.name, call.asked, id, create)


@define("GET /stories/{story}/files", "STORY_NOT_FOUND")
def list_texts(call: OperationCall) -> operation.ResultPage[StoryFileEntry]:
    """List the files of a story."""
    place = call.workspace.library.find(call.path["story"])
    return operation.ResultPage(story_files.list_files(place))


@define("GET /stories/{story}/files/{path:path}", f"{_TEXT_CODES} FILE_NOT_FOUND")
def read_text(call: OperationCall) -> StoryTextFile:
    """Get the text of a story's file."""
    place = call.workspace.library.find(call.path["story"])
    return story_files.read_text(place, call.path["path"])


@define(
    "PUT /stories/{story}/files/{path:path}",
    f"{_TEXT_CODES} READ_ONLY REVISION_CONFLICT {_WRITE_CODES}",
    needs="change",
    takes_text=True,
)
def keep_text(call: OperationCall, body: SaveTextRequest) -> StoryTextFile:
    """Save the text of a story's file, unless it was changed in the meantime."""
    place = call.workspace.library.find(call.path["story"])
    return story_files.write_text(place, call.path["path"], body.text, body.seen)


class CreateScenarioRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """A scenario to create."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    """The id: letters, digits, `_` and `-`."""
    language: Literal["en", "ja"] = "en"
    """The language of the template."""
    copy_of: ShortName = ""
    """The scenario to copy instead of the template; empty for none."""


@define(
    "POST /scenarios",
    f"REGISTRY_MISSING NAME_UNUSABLE SCENARIO_EXISTS READ_ONLY {_WRITE_CODES} IDEMPOTENCY_CONFLICT",
    needs="change",
    creates=True,
)
def make_scenario(
    call: OperationCall, body: CreateScenarioRequest
) -> OperationAnswer[ScenarioSummary]:
    """Create a scenario, from a template or as a copy."""
    registry = call.workspace.runs.registry

    def create_files() -> None:
        if body.copy_of:
            scenario_files.copy_scenario(body.id, body.copy_of, registry)
        else:
            scenario_files.create_scenario(body.id, body.language, registry)

    place = scenario_files.locate_new_scenario(body.id, registry)
    made = _create_once(call, place, body.id, create_files)
    line = library.summarize_scenario(call.workspace, made)
    return OperationAnswer(body=line, headers=(operation.build_location_header("scenarios", made),))


@define("GET /scenarios/{scenario}/source", "REGISTRY_MISSING")
def read_source(call: OperationCall) -> ScenarioSource:
    """Get the source text of a scenario."""
    registry = call.workspace.runs.registry
    return scenario_files.read_source(call.path["scenario"], registry)


@define(
    "PUT /scenarios/{scenario}/source",
    f"REGISTRY_MISSING READ_ONLY REVISION_CONFLICT {_WRITE_CODES}",
    needs="change",
    takes_text=True,
)
def keep_source(call: OperationCall, body: SaveTextRequest) -> ScenarioSource:
    """Save the source text of a scenario, unless it was changed in the meantime."""
    scenario, registry = call.path["scenario"], call.workspace.runs.registry
    return scenario_files.write_source(scenario, body.text, body.seen, registry)
