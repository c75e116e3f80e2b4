"""Scenarios: which there are, and what each begins with."""

import asyncio
from typing import Any

import msgspec

from saniwa.api.operation import Call, Operation, Page
from saniwa.core.errors import SaniwaError
from saniwa.scenario.load import Scenario, load
from saniwa.scenario.registry import Registry
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.scenario import find_entry, registry_place
from saniwa.wiring.writing.scenario_source import is_shipped


class ScenarioLine(msgspec.Struct, frozen=True, kw_only=True):
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

    line: ScenarioLine
    """What it is."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of its world."""
    document: dict[str, Any]
    """The scenario as it was written."""


async def list_scenarios(call: Call) -> Page[ScenarioLine]:
    """List the scenarios of the registry."""
    return Page(await asyncio.to_thread(_listed, call.garden))


def _listed(garden: Garden) -> list[ScenarioLine]:
    registry = Registry.open(registry_place(garden.parts.registry))
    return [
        line_of(garden, entry.scenario_id, entry.description)
        for entry in registry.entries
    ]


def line_of(garden: Garden, id: str, description: str = "") -> ScenarioLine:
    """A scenario in one line; one that cannot be read is listed with its fault."""
    try:
        return _line(scenario_named(garden, id), id, description)
    except SaniwaError as problem:
        return ScenarioLine(
            id=id, name=id, description=description, fault=problem.message
        )


def _line(scenario: Scenario, id: str, description: str) -> ScenarioLine:
    world = scenario.world
    named = [world.entities[who].name for who in sorted(world.cast)]
    return ScenarioLine(
        id=id,
        name=str(scenario.document.get("title") or scenario.id),
        description=description or _described(scenario),
        language=world.language,
        places=len(world.locations),
        shipped=scenario.entry is not None and is_shipped(scenario.entry.registry),
        characters=named,
    )


def _described(scenario: Scenario) -> str:
    said = scenario.document.get("description")
    return said if isinstance(said, str) and said else scenario.opening


def scenario_named(garden: Garden, id: str) -> Scenario:
    """A scenario by its id, and never by a path: whoever asks may sit anywhere.

    Raises:
        SchemaValidationError: There is none, or it cannot be trusted.
    """
    return load(find_entry(id, garden.parts.registry))


async def read_scenario(call: Call) -> ScenarioView:
    """Look at a scenario."""
    return await asyncio.to_thread(_viewed, call.garden, call.path["scenario"])


def _viewed(garden: Garden, id: str) -> ScenarioView:
    scenario = scenario_named(garden, id)
    return ScenarioView(
        line=_line(scenario, id, ""),
        scenario_hash=scenario.scenario_hash,
        world_hash=scenario.world_hash,
        document=dict(scenario.document),
    )


_NAMED = {"scenario": "door_and_key"}
OPERATIONS = (
    Operation(
        name="listScenarios",
        method="GET",
        path="/scenarios",
        summary="List the scenarios there are",
        run=list_scenarios,
        answers=Page[ScenarioLine],
    ),
    Operation(
        name="readScenario",
        method="GET",
        path="/scenarios/{scenario}",
        summary="Look at a scenario",
        run=read_scenario,
        answers=ScenarioView,
        codes=("REGISTRY_MISSING",),
        path_examples=_NAMED,
    ),
)
