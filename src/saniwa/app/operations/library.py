"""Scenarios and stories: listing and reading them, and the assets of stories."""

import shlex
from typing import Any, Final

import msgspec

from saniwa.app import story_library
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationCall, ResultPage, build_view, define
from saniwa.app.scenario_files import is_shipped_registry
from saniwa.app.scenario_lookup import find_entry, locate_registry
from saniwa.app.story_library import StoryPlace
from saniwa.app.story_opening import StoryFaultCheck
from saniwa.app.workspace import Workspace
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.redaction import PathRedactor
from saniwa.runs.playing_record import PlayOrigin
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.scenario.registry import Registry


class ScenarioSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario in a list."""

    id: str
    """Its id in the registry."""
    name: str
    """The name shown to people."""
    description: str = ""
    """The description from the registry or the scenario, otherwise its opening."""
    language: str = "en"
    """The language of the scenario."""
    places: int = 0
    """The number of places in its world."""
    characters: list[str] = []
    """The names of its characters."""
    shipped: bool = False
    """Whether it is included with Saniwa, and read-only."""
    fault: str = ""
    """Why it cannot be played; empty if it can."""


class ScenarioView(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario in detail."""

    line: ScenarioSummary
    """The scenario in short."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of its world."""
    document: dict[str, Any]
    """The scenario as it was written."""


@define("GET /scenarios", tools=("list_scenarios",))
def list_scenarios(call: OperationCall) -> ResultPage[ScenarioSummary]:
    """List the scenarios."""
    registry = Registry.open(locate_registry(call.workspace.runs.registry))
    return ResultPage(
        [
            summarize_scenario(call.workspace, entry.scenario_id, entry.description)
            for entry in registry.list_for_people()
        ]
    )


def summarize_scenario(workspace: Workspace, id: str, description: str = "") -> ScenarioSummary:
    """Summarize a scenario; one that cannot be read is listed with its fault."""
    try:
        return _build_scenario_summary(_load_scenario(workspace, id), id, description)
    except SaniwaError as problem:
        return ScenarioSummary(id=id, name=id, description=description, fault=problem.message)


def _build_scenario_summary(scenario: Scenario, id: str, description: str) -> ScenarioSummary:
    world, own = scenario.world, scenario.document.get("description")
    return ScenarioSummary(
        id=id,
        name=str(scenario.document.get("title") or scenario.id),
        description=description or (own if isinstance(own, str) and own else scenario.opening),
        language=world.language,
        places=len(world.locations),
        shipped=scenario.entry is not None and is_shipped_registry(scenario.entry.registry),
        characters=[world.entities[who].name for who in sorted(world.cast)],
    )


def _load_scenario(workspace: Workspace, id: str) -> Scenario:
    """Load a scenario by its id, never by a path, because the caller may be remote."""
    return load_scenario(find_entry(id, workspace.runs.registry))


@define("GET /scenarios/{scenario}", "REGISTRY_MISSING")
def read_scenario(call: OperationCall) -> ScenarioView:
    """Get a scenario."""
    id = call.path["scenario"]
    scenario = _load_scenario(call.workspace, id)
    line = _build_scenario_summary(scenario, id, "")
    return build_view(ScenarioView, scenario, line=line, document=dict(scenario.document))


_ASSET_HEADERS: Final = (
    ("Cache-Control", "private, max-age=300"),
    # An SVG can contain a script; with this policy it does not run.
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
)


class TerminalPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A position that an earlier version of the terminal player stored and that cannot be read."""

    save: str = ""
    """The name of the save; empty for the last position in the story."""
    command: str
    """The command that continues it in the terminal."""
    fault: str = ""
    """Why it cannot be read."""


class StorySummary(msgspec.Struct, frozen=True, kw_only=True):
    """A story in a list."""

    id: str
    """Its id."""
    title: str
    """The title."""
    languages: list[str]
    """The languages of the story, the original first."""
    titles: dict[str, str]
    """The title in each language."""
    shipped: bool
    """Whether it is included with Saniwa, and read-only."""
    fault: str = ""
    """Why it cannot start; empty if no reason is known."""
    terminal: list[TerminalPlay] = []
    """Positions stored by an earlier version of the terminal player that cannot be read.

    All other positions are in the list of runs.
    """


@define("GET /stories")
def list_stories(call: OperationCall) -> ResultPage[StorySummary]:
    """List the stories."""
    workspace, check = call.workspace, call.workspace.story_faults.start_check()
    ids = workspace.library.list_ids()
    return ResultPage([_summarize_or_fault(workspace, id, check) for id in ids])


def _summarize_or_fault(workspace: Workspace, id: str, check: StoryFaultCheck) -> StorySummary:
    try:
        return _summarize_story(workspace, workspace.library.find(id), check)
    except ScriptError as problem:
        fault = _describe_problem(problem)
        return StorySummary(id=id, title=id, languages=[], titles={}, shipped=False, fault=fault)


def _summarize_story(
    workspace: Workspace, place: StoryPlace, check: StoryFaultCheck
) -> StorySummary:
    fault = check.find_fault(place)
    return build_view(
        StorySummary,
        place,
        titles={each.language: each.title for each in place.editions if each.language},
        fault="" if fault is None else _describe_problem(fault),
        terminal=[
            _describe_unreadable(place, problem)
            for problem in workspace.playings.import_old_saves(place)
        ],
    )


def _describe_unreadable(place: StoryPlace, problem: StoreError) -> TerminalPlay:
    command = shlex.join(["saniwa", "play", place.id, "--resume"])
    return TerminalPlay(command=command, fault=_describe_problem(problem))


def _describe_problem(problem: SaniwaError) -> str:
    """Return what is wrong, and where, without the folders of this machine."""
    shown = PathRedactor(problem.where, problem.details)
    place = shown.redact_location(problem.where)
    return f"{place}: {shown.redact_text(problem.message)}" if place else problem.message


@define("GET /stories/{story}", "STORY_NOT_FOUND")
def read_story(call: OperationCall) -> StorySummary:
    """Get a story."""
    return load_story_summary(call.workspace, call.path["story"])


def load_story_summary(workspace: Workspace, id: str) -> StorySummary:
    """Summarize a story of the library.

    Raises:
        ScriptError: As `StoryLibrary.find`.
    """
    return _summarize_story(
        workspace, workspace.library.find(id), workspace.story_faults.start_check()
    )


@define(
    "GET /stories/{story}/assets/{path:path}",
    "STORY_NOT_FOUND ASSET_NOT_FOUND",
    line="asset",
    media="*/*",
    path_examples={"path": "images/harbour.png"},
)
def read_asset(call: OperationCall) -> operation.OperationAnswer[bytes]:
    """Download a picture or sound of a story."""
    place = _find_played_story(call)
    found = story_library.read_asset(place, call.path["path"])
    return operation.OperationAnswer(body=found.content, media=found.media, headers=_ASSET_HEADERS)


def _find_played_story(call: OperationCall) -> StoryPlace:
    """Return a story of the library, or the one that a run plays."""
    workspace, named = call.workspace, call.path["story"]
    record = workspace.find_record(named) if named.startswith("run-") else None
    origin = record.origin if record else PlayOrigin(story=named)
    if not (origin.story or origin.path):
        raise story_library.make_no_asset_error("", call.path["path"])
    return workspace.playings.find_story_place(origin)
