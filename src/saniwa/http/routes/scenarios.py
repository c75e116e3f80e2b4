"""Scenarios: listing and reading them, and editing their texts."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec

from saniwa.app.authoring.scenario_files import (
    ScenarioSource,
    copy_scenario,
    create_scenario,
    is_shipped_registry,
    locate_new_scenario,
    read_source,
    write_source,
)
from saniwa.app.idempotency import create_once
from saniwa.app.scenarios import find_entry, locate_registry
from saniwa.app.workspace import Workspace
from saniwa.core.errors import SaniwaError
from saniwa.http.contract import (
    Operation,
    OperationAnswer,
    OperationCall,
    ResultPage,
    build_location_header,
)
from saniwa.http.routes.drafts import ShortName
from saniwa.http.routes.stories import SaveTextRequest
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.scenario.registry import Registry


class ScenarioSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario in one line."""

    id: str
    """Its id in the registry."""
    name: str
    """What people call it."""
    description: str = ""
    """What its registry or its author says of it; else how it opens."""
    language: str = "en"
    """The language it is written in."""
    places: int = 0
    """How many places its world has."""
    characters: list[str] = []
    """Who lives in it."""
    shipped: bool = False
    """Whether it comes with Saniwa, and is only read."""
    fault: str = ""
    """Why it cannot be played; empty if it can."""


class ScenarioView(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario, looked at."""

    line: ScenarioSummary
    """What it is."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of its world."""
    document: dict[str, Any]
    """The scenario as it was written."""


async def list_scenarios(call: OperationCall) -> ResultPage[ScenarioSummary]:
    """List the scenarios of the registry."""
    return ResultPage(await asyncio.to_thread(_list_summaries, call.workspace))


def _list_summaries(workspace: Workspace) -> list[ScenarioSummary]:
    registry = Registry.open(locate_registry(workspace.parts.registry))
    return [
        summarize_scenario(workspace, entry.scenario_id, entry.description)
        for entry in registry.entries
    ]


def summarize_scenario(workspace: Workspace, id: str, description: str = "") -> ScenarioSummary:
    """Summarize a scenario; one that cannot be read is listed with its fault."""
    try:
        return _build_summary(load_registered_scenario(workspace, id), id, description)
    except SaniwaError as problem:
        return ScenarioSummary(id=id, name=id, description=description, fault=problem.message)


def _build_summary(scenario: Scenario, id: str, description: str) -> ScenarioSummary:
    world = scenario.world
    named = [world.entities[who].name for who in sorted(world.cast)]
    return ScenarioSummary(
        id=id,
        name=str(scenario.document.get("title") or scenario.id),
        description=description or _describe_scenario(scenario),
        language=world.language,
        places=len(world.locations),
        shipped=scenario.entry is not None and is_shipped_registry(scenario.entry.registry),
        characters=named,
    )


def _describe_scenario(scenario: Scenario) -> str:
    description = scenario.document.get("description")
    return description if isinstance(description, str) and description else scenario.opening


def load_registered_scenario(workspace: Workspace, id: str) -> Scenario:
    """Load a scenario by its id, never by a path, because the caller may be remote.

    Raises:
        SchemaValidationError: There is none, or it is invalid.
    """
    return load_scenario(find_entry(id, workspace.parts.registry))


async def read_scenario(call: OperationCall) -> ScenarioView:
    """Look at a scenario."""
    return await asyncio.to_thread(_build_view, call.workspace, call.path["scenario"])


def _build_view(workspace: Workspace, id: str) -> ScenarioView:
    scenario = load_registered_scenario(workspace, id)
    return ScenarioView(
        line=_build_summary(scenario, id, ""),
        scenario_hash=scenario.scenario_hash,
        world_hash=scenario.world_hash,
        document=dict(scenario.document),
    )


_SCENARIO_PATH = {"scenario": "door_and_key"}
SCENARIO_OPERATIONS = (
    Operation(
        name="listScenarios",
        method="GET",
        path="/scenarios",
        summary="List the scenarios there are",
        run=list_scenarios,
        answers=ResultPage[ScenarioSummary],
    ),
    Operation(
        name="readScenario",
        method="GET",
        path="/scenarios/{scenario}",
        summary="Look at a scenario",
        run=read_scenario,
        answers=ScenarioView,
        codes=("REGISTRY_MISSING",),
        path_examples=_SCENARIO_PATH,
    ),
)


class CreateScenarioRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario to be made."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    """What it is to go by: letters, digits, `_` and `-`."""
    language: Literal["en", "ja"] = "en"
    """The language of the text to begin from."""
    copy_of: ShortName = ""
    """The scenario to be copied instead; empty for none."""


async def read_scenario_text(call: OperationCall) -> ScenarioSource:
    """Read the text of a scenario."""
    registry = call.workspace.parts.registry
    return await asyncio.to_thread(read_source, call.path["scenario"], registry)


async def save_scenario_text(call: OperationCall) -> ScenarioSource:
    """Keep the text of a scenario."""
    body, registry = call.body, call.workspace.parts.registry
    return await asyncio.to_thread(
        write_source, call.path["scenario"], body.text, body.seen, registry
    )


async def make_scenario(call: OperationCall) -> OperationAnswer:
    """Make a scenario, or a copy of one; the same request again finds what it made."""
    made = await asyncio.to_thread(_create_once, call)
    line = await asyncio.to_thread(summarize_scenario, call.workspace, made)
    return OperationAnswer(body=line, headers=(build_location_header("scenarios", made),))


def _create_once(call: OperationCall) -> str:
    workspace, body = call.workspace, call.body
    return create_once(
        workspace.begun,
        locate_new_scenario(body.id, workspace.parts.registry),
        call.caller.name,
        call.asked,
        body.id,
        lambda: _create_files(workspace, body),
    )


def _create_files(workspace: Workspace, body: CreateScenarioRequest) -> None:
    registry = workspace.parts.registry
    if body.copy_of:
        copy_scenario(body.id, body.copy_of, registry)
    else:
        create_scenario(body.id, body.language, registry)


SCENARIO_TEXT_OPERATIONS = (
    Operation(
        name="makeScenario",
        method="POST",
        path="/scenarios",
        summary="Make a scenario to begin from, or a copy of one",
        run=make_scenario,
        takes=CreateScenarioRequest,
        answers=ScenarioSummary,
        needs="change",
        status=201,
        keyed=True,
        codes=(
            "REGISTRY_MISSING",
            "NAME_UNUSABLE",
            "SCENARIO_EXISTS",
            "READ_ONLY",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
            "IDEMPOTENCY_CONFLICT",
        ),
        example={"id": "my_world", "language": "en"},
    ),
    Operation(
        name="readSource",
        method="GET",
        path="/scenarios/{scenario}/source",
        summary="Read the text of a scenario",
        run=read_scenario_text,
        answers=ScenarioSource,
        codes=("REGISTRY_MISSING",),
        path_examples=_SCENARIO_PATH,
    ),
    Operation(
        name="keepSource",
        method="PUT",
        path="/scenarios/{scenario}/source",
        summary="Keep the text of a scenario, if it is still the version that was seen",
        run=save_scenario_text,
        takes=SaveTextRequest,
        takes_text=True,
        answers=ScenarioSource,
        needs="change",
        codes=(
            "REGISTRY_MISSING",
            "READ_ONLY",
            "REVISION_CONFLICT",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
        ),
        example={"text": "name: hut\n", "seen": "0123456789abcdef"},
        path_examples=_SCENARIO_PATH,
    ),
)
